//! Recorded streams of the Chat Completions API: chunks with deltas, as server-sent events, one a line, or in an array.
//! The chunks with one id add up to a completion, which is read like a stored one.

use crate::dialects::chat::CHAT;
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

use super::completion;
use crate::formats::scoring;

pub struct ChatStream;

pub static FORMAT: ChatStream = ChatStream;

static INFO: FormatInfo = FormatInfo {
    name: "chat-stream",
    title: "recorded stream of the Chat Completions API",
    upstream: Some(Upstream {
        repository: "openai/openai-python",
        file: Some("src/openai/types/chat"),
        version: Some("3.54.0"),
    }),
    known_by: "chunks whose `object` is \"chat.completion.chunk\", or whose `choices` hold a `delta`: server-sent events, \
              one per line, or in an array",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &["choices"], unit: RemovalUnit::Element }],
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&CHAT, "chat")
};

const MESSAGE: &[PathStep] = &[PathStep::Key("choices"), PathStep::Index, PathStep::Key("message")];

static REDUCTION: Reduction = Reduction {
    start: MessageStart::Id { keys: &["id"], role: &["delta", "role"] },
    steps: &[
        ReductionStep { from: &["id"], to: &[PathStep::Key("id")], mode: MergeMode::SetIfEmpty, ..ANY },
        ReductionStep { from: &["model"], to: &[PathStep::Key("model")], mode: MergeMode::SetIfEmpty, ..ANY },
        ReductionStep { from: &["usage"], to: &[PathStep::Key("usage")], mode: MergeMode::Replace, ..ANY },
        ReductionStep {
            each: "choices",
            from: &["index"],
            to: &[PathStep::Key("choices"), PathStep::Index, PathStep::Key("index")],
            ..ANY
        },
        ReductionStep { each: "choices", from: &["delta"], to: MESSAGE, mode: MergeMode::Merge, ..ANY },
        ReductionStep {
            each: "choices",
            from: &["finish_reason"],
            to: &[PathStep::Key("choices"), PathStep::Index, PathStep::Key("finish_reason")],
            ..ANY
        },
    ],
    merge_rules: MergeRules {
        grows: &[
            "content",
            "refusal",
            "reasoning_content",
            "reasoning",
            "arguments",
            "input",
            "text",
            "summary",
            "data",
            "transcript",
        ],
        // Some servers send lists of parts, such as Mistral's.
        parts: &["text", "thinking"],
        unindexed: &["tool_calls"],
    },
    message: &[],
    defaults: &[("object", "\"chat.completion\"")],
    choices: Some(Choices {
        list: "choices",
        message: "message",
        defaults: &[("role", "\"assistant\""), ("content", "null")],
    }),
    stop_reason: "finish_reason",
    index: "index",
    end_event: "",
    part_end_event: "",
    parts: "tool_calls",
    text_types: &[],
    json_paths: &[&["function", "arguments"]],
    content_members: &[
        "content",
        "refusal",
        "reasoning_content",
        "reasoning",
        "reasoning_details",
        "tool_calls",
        "audio",
    ],
};

impl Format for ChatStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let first =
            if probe.val.is_array() { probe.val.elements().find(|e| is_chunk(*e)) } else { Some(probe.val) };
        match first {
            Some(first) if is_chunk(first) => 100,
            // An error within a stream, or the first event of Azure.
            Some(first) if first.get("prompt_filter_results").is_some() || is_error(first) => BARE,
            _ => 0,
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        // The first event of Azure has no choices; a server that fails sends an event with the error.
        val.is_array()
            || ["choices", "error", "usage"].iter().any(|key| val.get(key).is_some())
                && !scoring::is_foreign_record(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Events(&REDUCTION, read_completion)
    }
}

/// The score of an event that has nothing to distinguish it from those of other systems.
const BARE: u8 = 10;

fn is_error(event: Val<'_>) -> bool {
    event.count() == 1 && event.get(name::error).is_some_and(|error| error.is_object())
}

fn is_chunk(val: Val<'_>) -> bool {
    let Some(choices) = val.get(name::choices).filter(Val::is_array) else { return false };
    let has_delta =
        || choices.elements().next().is_some_and(|choice| choice.get("delta").is_some_and(|d| d.is_object()));
    !scoring::is_foreign_record(val)
        && (val.get(name::object).is_some_and(|object| object.is("chat.completion.chunk")) || has_delta())
}

/// Reads the completion that the chunks add up to, each choice as a history.
fn read_completion(record: &Record<'_>, sink: &mut dyn Sink) {
    let model = record.val.get(name::model).and_then(|model| model.text());
    let model: Option<Box<str>> = model.map(|model| String::from_utf8_lossy(&model).into());
    for choice in completion::choices(record.val) {
        let read_only = Some(READ_ONLY);
        let settings =
            HistorySettings { usage: Usage::Log, model: model.clone(), read_only, ..HistorySettings::default() };
        sink.mark(Mark::Start(Box::new(settings)));
        completion::read_choice(choice, record, 0, Flags::default(), sink);
        sink.mark(Mark::End);
    }
}
