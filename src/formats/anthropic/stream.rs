//! Recorded streams of the Anthropic Messages API: `message_start`, blocks that begin, grow and end, `message_stop`; as
//! server-sent events, one a line, or in an array. The events add up to a message, which is read as a stored one.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::reduction::{Begins, How, READ_ONLY, Reduction, Step, To};
use crate::format::{
    Edited, Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, Upstream,
    read_item,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::builder::MergeRules;
use crate::json::{Val, name};

use crate::formats::claim;

pub struct AnthropicStream;

pub static FORMAT: AnthropicStream = AnthropicStream;

static INFO: FormatInfo = FormatInfo {
    name: "anthropic-stream",
    title: "recorded stream of the Anthropic Messages API",
    upstream: Some(Upstream {
        repository: "anthropics/anthropic-sdk-python",
        file: Some("src/anthropic/types"),
        version: Some("2.12.0"),
    }),
    known_by: "events `message_start`, `content_block_start`, `content_block_delta` …: server-sent events, one per line, \
              or in an array",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    records_responses: true,
    edited: Edited::Never,
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

const BLOCK: &[To] = &[To::Key("content"), To::Index];

/// What a delta of a block adds to.
macro_rules! delta {
    ($kind:literal, $member:literal, $to:literal, $how:ident) => {
        Step {
            event: "content_block_delta",
            delta: $kind,
            each: "",
            from: &["delta", $member],
            to: &[To::Key("content"), To::Index, To::Key($to)],
            how: How::$how,
        }
    };
}

static REDUCTION: Reduction = Reduction {
    begins: Begins::Event("message_start"),
    steps: &[
        Step { event: "message_start", from: &["message"], how: How::Put, ..ANY },
        Step { event: "content_block_start", from: &["content_block"], to: BLOCK, how: How::Put, ..ANY },
        delta!("text_delta", "text", "text", Grow),
        delta!("input_json_delta", "partial_json", "input", GrowJson),
        delta!("thinking_delta", "thinking", "thinking", Grow),
        delta!("signature_delta", "signature", "signature", Put),
        delta!("citations_delta", "citation", "citations", Push),
        delta!("compaction_delta", "content", "content", Grow),
        Step { event: "message_delta", from: &["delta"], how: How::Merge, ..ANY },
        Step { event: "message_delta", from: &["usage"], to: &[To::Key("usage")], how: How::Merge, ..ANY },
        Step {
            event: "message_delta",
            from: &["context_management"],
            to: &[To::Key("context_management")],
            how: How::Put,
            ..ANY
        },
    ],
    merging: MergeRules { grows: &[], parts: &[], unindexed: &[] },
    fixed: &[("type", "\"message\""), ("role", "\"assistant\""), ("content", "[]")],
    choices: None,
    reason: "stop_reason",
    end: "message_stop",
    part_end: "content_block_stop",
    parts: "content",
    texts: &["text"],
    json: &[],
    said: &["content"],
};

const ANY: Step = Step { event: "", delta: "", each: "", from: &[], to: &[], how: How::Put };

impl Format for AnthropicStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        match probe.val.is_array() {
            true => probe.val.elements().map(score).find(|score| *score > BARE).unwrap_or(0),
            false => score(probe.val),
        }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        // Types of events that came later are passed over.
        val.is_array() || val.get(name::r#type).is_some_and(|kind| kind.is_string()) && !claim::is_record(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Events(&REDUCTION, read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Head => {}
        Slice::Made => read_message(record, sink),
        _ if record.val.is_array() => {
            let events = record.val.elements();
            events.for_each(|event| sink.mark(Mark::Piece(record.base.of(event), record.number)));
        }
        _ => sink.mark(Mark::Piece(record.base.of(record.val), record.number)),
    }
}

/// An event that carries nothing by which other systems' events could be told from it.
const BARE: u8 = 10;

/// Types of events, and the member that each must have.
const EVENTS: [(&str, &[&str]); 5] = [
    ("message_start", &["message", "role"]),
    ("content_block_start", &["content_block", "type"]),
    ("content_block_delta", &["delta", "type"]),
    ("content_block_stop", &["index"]),
    ("message_delta", &["delta"]),
];

fn score(event: Val<'_>) -> u8 {
    let Some(kind) = event.get(name::r#type).filter(|_| !claim::is_record(event)) else { return 0 };
    match EVENTS.iter().find(|(name, _)| kind.is(name)) {
        Some((_, member)) if event.at(member).is_some() => 100,
        Some(_) => 0,
        None if ["message_stop", "ping", "error"].iter().any(|name| kind.is(name)) => BARE,
        None => 0,
    }
}

/// Reads the message that the events add up to.
fn read_message(record: &Record<'_>, sink: &mut dyn Sink) {
    let model = record.val.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    let settings = Settings { usage: Usage::Log, model, read_only: Some(READ_ONLY), ..Settings::default() };
    sink.mark(Mark::Start(Box::new(settings)));
    read_item(&ANTHROPIC, record.val, record, 0, Flags::RECORDED | Flags::ALONE, sink);
    sink.mark(Mark::End);
}
