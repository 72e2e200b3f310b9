//! Recorded streams of the Anthropic Messages API: `message_start`, blocks that begin, grow and end, `message_stop`; as
//! server-sent events, one a line, or in an array. The events add up to a message, which is read like a stored one.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::reduction::{ANY, MergeMode, MessageStart, PathStep, READ_ONLY, Reduction, ReductionStep};
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink,
    Upstream, read_item,
};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::builder::MergeRules;
use crate::json::{Val, name};

use crate::formats::scoring;

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
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    records_responses: true,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

const BLOCK: &[PathStep] = &[PathStep::Key("content"), PathStep::Index];

/// A step that adds the member of a delta to a block.
macro_rules! delta {
    ($kind:literal, $member:literal, $to:literal, $mode:ident) => {
        ReductionStep {
            event: "content_block_delta",
            delta: $kind,
            each: "",
            from: &["delta", $member],
            to: &[PathStep::Key("content"), PathStep::Index, PathStep::Key($to)],
            mode: MergeMode::$mode,
        }
    };
}

static REDUCTION: Reduction = Reduction {
    start: MessageStart::Event("message_start"),
    steps: &[
        ReductionStep { event: "message_start", from: &["message"], mode: MergeMode::Replace, ..ANY },
        ReductionStep {
            event: "content_block_start",
            from: &["content_block"],
            to: BLOCK,
            mode: MergeMode::Replace,
            ..ANY
        },
        delta!("text_delta", "text", "text", AppendText),
        delta!("input_json_delta", "partial_json", "input", AppendJson),
        delta!("thinking_delta", "thinking", "thinking", AppendText),
        delta!("signature_delta", "signature", "signature", Replace),
        delta!("citations_delta", "citation", "citations", Push),
        delta!("compaction_delta", "content", "content", AppendText),
        ReductionStep { event: "message_delta", from: &["delta"], mode: MergeMode::Merge, ..ANY },
        ReductionStep {
            event: "message_delta",
            from: &["usage"],
            to: &[PathStep::Key("usage")],
            mode: MergeMode::Merge,
            ..ANY
        },
        ReductionStep {
            event: "message_delta",
            from: &["context_management"],
            to: &[PathStep::Key("context_management")],
            mode: MergeMode::Replace,
            ..ANY
        },
    ],
    merge_rules: MergeRules { grows: &[], parts: &[], unindexed: &[] },
    message: &[],
    defaults: &[("type", "\"message\""), ("role", "\"assistant\""), ("content", "[]")],
    choices: None,
    stop_reason: "stop_reason",
    index: "index",
    end_event: "message_stop",
    part_end_event: "content_block_stop",
    parts: "content",
    text_types: &["text"],
    json_paths: &[],
    content_members: &["content"],
};

impl Format for AnthropicStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        scoring::score_events(probe.val, BARE, score)
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        // Unknown types of events are skipped.
        val.is_array()
            || val.get(name::r#type).is_some_and(|kind| kind.is_string()) && !scoring::is_foreign_record(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Events(&REDUCTION, read_message)
    }
}

/// The score of an event that has nothing to distinguish it from those of other systems.
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
    let Some(kind) = event.get(name::r#type) else { return 0 };
    let own = match EVENTS.iter().find(|(name, _)| kind.is(name)) {
        Some((_, member)) if event.at(member).is_some() => 100,
        Some(_) => 0,
        None if ["message_stop", "ping", "error"].iter().any(|name| kind.is(name)) => BARE,
        None => 0,
    };
    if own > 0 && scoring::is_foreign_record(event) { 0 } else { own }
}

/// Reads the message that the events add up to.
fn read_message(record: &Record<'_>, sink: &mut dyn Sink) {
    let model = record.val.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    let settings =
        HistorySettings { usage: Usage::Log, model, read_only: Some(READ_ONLY), ..HistorySettings::default() };
    sink.mark(Mark::Start(Box::new(settings)));
    read_item(&ANTHROPIC, record.val, record, 0, Flags::RECORDED | Flags::ALONE, sink);
    sink.mark(Mark::End);
}
