//! Recorded streams of Bedrock's `ConverseStream`, as the SDKs pass them on: `{"messageStart": …}`, blocks that begin, grow and
//! stop, `{"messageStop": …}`; one a line, or in an array. The events add up to a response, which is read like a stored one.

use crate::dialects::bedrock::BEDROCK;
use crate::format::reduction::{ANY, MergeMode, MessageStart, PathStep, READ_ONLY, Reduction, ReductionStep};
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink,
    Upstream,
};
use crate::formats::scoring;
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::Val;
use crate::json::builder::MergeRules;
use crate::message::LossKind;

use super::response;

pub struct BedrockStream;

pub static FORMAT: BedrockStream = BedrockStream;

static INFO: FormatInfo = FormatInfo {
    name: "bedrock-stream",
    title: "recorded stream of Bedrock's Converse API",
    upstream: Some(Upstream {
        repository: "boto/botocore",
        file: Some("botocore/data/bedrock-runtime/2023-09-30/service-2.json"),
        version: Some("1.44.5"),
    }),
    known_by: "events `messageStart`, `contentBlockStart`, `contentBlockDelta` … as keys: one per line, or in an array",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    records_responses: true,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&BEDROCK, "bedrock")
};

/// The message of a response.
const MESSAGE: [PathStep; 2] = [PathStep::Key("output"), PathStep::Key("message")];

/// A step that adds the member of a delta to a block.
macro_rules! delta {
    ([$($from:literal),+], [$($to:literal),+], $mode:ident) => {
        ReductionStep {
            each: "contentBlockDelta",
            from: &["delta", $($from),+],
            to: &[MESSAGE[0], MESSAGE[1], PathStep::Key("content"), PathStep::Index, $(PathStep::Key($to)),+],
            mode: MergeMode::$mode,
            ..ANY
        }
    };
}

static REDUCTION: Reduction = Reduction {
    start: MessageStart::Event("messageStart"),
    steps: &[
        ReductionStep {
            from: &["messageStart", "role"],
            to: &[MESSAGE[0], MESSAGE[1], PathStep::Key("role")],
            ..ANY
        },
        ReductionStep {
            each: "contentBlockStart",
            from: &["start"],
            to: &[MESSAGE[0], MESSAGE[1], PathStep::Key("content"), PathStep::Index],
            mode: MergeMode::Merge,
            ..ANY
        },
        delta!(["text"], ["text"], AppendText),
        delta!(["toolUse", "input"], ["toolUse", "input"], AppendJson),
        delta!(["reasoningContent", "text"], ["reasoningContent", "reasoningText", "text"], AppendText),
        delta!(["reasoningContent", "signature"], ["reasoningContent", "reasoningText", "signature"], AppendText),
        delta!(["reasoningContent", "redactedContent"], ["reasoningContent", "redactedContent"], Replace),
        delta!(["image"], ["image"], Merge),
        // A text with citations has another form, which a request need not repeat.
        ReductionStep {
            from: &["contentBlockDelta", "delta", "citation"],
            to: &[PathStep::Key(CITATIONS)],
            mode: MergeMode::Push,
            ..ANY
        },
        ReductionStep { from: &["messageStop", "stopReason"], to: &[PathStep::Key("stopReason")], ..ANY },
        ReductionStep { from: &["metadata", "usage"], to: &[PathStep::Key("usage")], ..ANY },
    ],
    merge_rules: MergeRules { grows: &[], parts: &[], unindexed: &[] },
    message: &["output", "message"],
    defaults: &[("role", "\"assistant\""), ("content", "[]")],
    choices: None,
    stop_reason: "stopReason",
    index: "contentBlockIndex",
    end_event: "messageStop",
    part_end_event: "contentBlockStop",
    parts: "content",
    text_types: &["text"],
    json_paths: &[&["toolUse", "input"]],
    content_members: &["content"],
};

/// The member of the response with the citations of all texts.
const CITATIONS: &str = "citations";

/// Events, and the member that each must have.
const EVENTS: [(&str, &[&str]); 5] = [
    ("messageStart", &["role"]),
    ("contentBlockStart", &["contentBlockIndex"]),
    ("contentBlockDelta", &["delta"]),
    ("contentBlockStop", &["contentBlockIndex"]),
    ("messageStop", &["stopReason"]),
];

/// The events of a stream that fails, and the last one, with usage.
const OTHER_EVENTS: [&str; 6] = [
    "metadata",
    "internalServerException",
    "modelStreamErrorException",
    "validationException",
    "throttlingException",
    "serviceUnavailableException",
];

/// The score of an event that has nothing to distinguish it from those of other systems.
const BARE: u8 = 10;

impl Format for BedrockStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        scoring::score_events(probe.val, BARE, score)
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.is_array() || val.count() == 1
    }

    fn layout(&'static self) -> Layout {
        Layout::Events(&REDUCTION, read_response)
    }
}

fn score(event: Val<'_>) -> u8 {
    if !event.is_object() || event.count() != 1 {
        return 0;
    }
    let mut events = EVENTS.iter().filter_map(|(name, member)| Some((event.get(name)?, member)));
    match events.next() {
        Some((content, member)) if content.at(member).is_some() => 100,
        Some(_) => 0,
        None if OTHER_EVENTS.iter().any(|name| event.get(name).is_some_and(|own| own.is_object())) => BARE,
        None => 0,
    }
}

/// Reads the response that the events add up to.
fn read_response(record: &Record<'_>, sink: &mut dyn Sink) {
    let settings = HistorySettings { usage: Usage::Log, read_only: Some(READ_ONLY), ..HistorySettings::default() };
    sink.mark(Mark::Start(Box::new(settings)));
    if let Some(found) = record.val.get(CITATIONS) {
        sink.mark(Mark::not_converted(LossKind::CITATION, record.base.of(found), record.number));
    }
    response::read_message(record.val, record, 0, Flags::default(), sink);
    sink.mark(Mark::End);
}
