//! Recorded streams of Gemini's `streamGenerateContent`: responses with a part of the text each, as server-sent events, one a
//! line, or the array that the API sends without `alt=sse`. The chunks with one id add up to a response, which is read like a
//! stored one.

use crate::dialects::gemini::GEMINI;
use crate::format::reduction::{
    ANY, Choices, MergeMode, MessageStart, PathStep, READ_ONLY, Reduction, ReductionStep,
};
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink,
    Upstream,
};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::builder::MergeRules;
use crate::json::{Val, name};

use super::response;
use crate::formats::scoring;

pub struct GeminiStream;

pub static FORMAT: GeminiStream = GeminiStream;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-stream",
    title: "recorded stream of the Gemini API",
    upstream: Some(Upstream {
        repository: "googleapis/python-genai",
        file: Some("google/genai/types.py"),
        version: Some("3.4.0"),
    }),
    known_by: "responses of which one is not finished: server-sent events, one per line, or in an array",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &["candidates"], unit: RemovalUnit::Element }],
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&GEMINI, "gemini")
};

/// A step that adds a member of a chunk, however the SDK that recorded it spells the name.
macro_rules! member {
    ($from:literal, $to:literal, $mode:ident) => {
        ReductionStep { from: &[$from], to: &[PathStep::Key($to)], mode: MergeMode::$mode, ..ANY }
    };
}

/// The same of a candidate.
macro_rules! of_candidate {
    ([$($from:literal),+], [$($to:literal),+], $mode:ident) => {
        ReductionStep {
            each: "candidates",
            from: &[$($from),+],
            to: &[PathStep::Key("candidates"), PathStep::Index, $(PathStep::Key($to)),+],
            mode: MergeMode::$mode,
            ..ANY
        }
    };
}

static REDUCTION: Reduction = Reduction {
    start: MessageStart::Id { keys: &["responseId", "response_id"], role: &["content", "role"] },
    steps: &[
        member!("responseId", "responseId", SetIfEmpty),
        member!("response_id", "responseId", SetIfEmpty),
        member!("modelVersion", "modelVersion", SetIfEmpty),
        member!("model_version", "modelVersion", SetIfEmpty),
        member!("usageMetadata", "usageMetadata", Replace),
        member!("usage_metadata", "usageMetadata", Replace),
        of_candidate!(["index"], ["index"], Replace),
        of_candidate!(["content", "role"], ["content", "role"], SetIfEmpty),
        of_candidate!(["content", "parts"], ["content", "parts"], AppendParts),
        of_candidate!(["finishReason"], ["finishReason"], Replace),
        of_candidate!(["finish_reason"], ["finishReason"], Replace),
        of_candidate!(["groundingMetadata"], ["groundingMetadata"], Merge),
        of_candidate!(["grounding_metadata"], ["groundingMetadata"], Merge),
    ],
    merge_rules: MergeRules { grows: &[], parts: &[], unindexed: &[] },
    message: &[],
    defaults: &[],
    choices: Some(Choices {
        list: "candidates",
        message: "content",
        defaults: &[("role", "\"model\""), ("parts", "[]")],
    }),
    stop_reason: "finishReason",
    index: "index",
    end_event: "",
    part_end_event: "",
    // Each part of a chunk is whole, or a text that may go on.
    parts: "",
    text_types: &[],
    json_paths: &[],
    content_members: &["parts"],
};

impl Format for GeminiStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.val.is_array() {
            return score(probe.val);
        }
        let mut all = probe.val.elements().take(SAMPLE).map(score).peekable();
        // An array of responses is what the API streams; it has no other use.
        if all.peek().is_some() && all.all(|score| score > 0) { UNFINISHED } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.is_array()
            || ["candidates", "promptFeedback", "usageMetadata", "usage_metadata", "error"]
                .iter()
                .any(|key| val.get(key).is_some())
                && !scoring::is_foreign_record(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Events(&REDUCTION, read_response)
    }
}

/// The maximum number of chunks that are examined in detection.
const SAMPLE: usize = 50;

/// The score of a response that is not finished.
const UNFINISHED: u8 = 100;
/// The score of a response that is finished, which is less than that of one by itself: of two chunks one is not finished.
const FINISHED: u8 = 85;

fn score(chunk: Val<'_>) -> u8 {
    if !response::is_response(chunk) || scoring::is_foreign_record(chunk) {
        return 0;
    }
    let is_finished =
        |candidate: Val<'_>| FINISH_REASONS.iter().any(|key| candidate.get(key).is_some_and(|own| !own.is_null()));
    let mut candidates = chunk.get(name::candidates).into_iter().flat_map(|list| list.elements()).peekable();
    if candidates.peek().is_some() && !candidates.any(is_finished) { UNFINISHED } else { FINISHED }
}

const FINISH_REASONS: [&str; 2] = ["finishReason", "finish_reason"];

/// Reads the response that the chunks add up to, each candidate as a history.
fn read_response(record: &Record<'_>, sink: &mut dyn Sink) {
    let model = response::model(record.val);
    let candidates = record.val.get(name::candidates).into_iter().flat_map(|list| list.elements());
    for candidate in candidates {
        let settings = HistorySettings {
            usage: Usage::Log,
            model: model.clone(),
            read_only: Some(READ_ONLY),
            ..HistorySettings::default()
        };
        sink.mark(Mark::Start(Box::new(settings)));
        response::read_candidate(candidate, record, 0, Flags::default(), sink);
        sink.mark(Mark::End);
    }
}
