//! Recorded streams of the Chat Completions API: chunks with deltas, as server-sent events, one a line, or in an array.
//! The chunks of one id add up to a completion, which is read as a stored one.

use crate::dialects::chat::CHAT;
use crate::format::reduction::{Begins, Choices, How, READ_ONLY, Reduction, Step, To};
use crate::format::{
    Edited, Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, Upstream,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::builder::MergeRules;
use crate::json::{Val, name};

use super::completion;
use crate::formats::claim;

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
    histories: Histories::PerDoc,
    parts: &[Part { path: &["choices"], unit: Unit::Element }],
    edited: Edited::Never,
    ..FormatInfo::of(&CHAT, "chat")
};

const MESSAGE: &[To] = &[To::Key("choices"), To::Index, To::Key("message")];

static REDUCTION: Reduction = Reduction {
    begins: Begins::Id { key: "id", role: &["delta", "role"] },
    steps: &[
        Step { from: &["id"], to: &[To::Key("id")], how: How::First, ..ANY },
        Step { from: &["model"], to: &[To::Key("model")], how: How::First, ..ANY },
        Step { from: &["usage"], to: &[To::Key("usage")], how: How::Put, ..ANY },
        Step { each: "choices", from: &["index"], to: &[To::Key("choices"), To::Index, To::Key("index")], ..ANY },
        Step { each: "choices", from: &["delta"], to: MESSAGE, how: How::Merge, ..ANY },
        Step {
            each: "choices",
            from: &["finish_reason"],
            to: &[To::Key("choices"), To::Index, To::Key("finish_reason")],
            ..ANY
        },
    ],
    merging: MergeRules {
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
        // Servers that send lists of parts, as Mistral does.
        parts: &["text", "thinking"],
        unindexed: &["tool_calls"],
    },
    fixed: &[("object", "\"chat.completion\"")],
    choices: Some(Choices {
        list: "choices",
        message: "message",
        fixed: &[("role", "\"assistant\""), ("content", "null")],
    }),
    reason: "finish_reason",
    end: "",
    part_end: "",
    parts: "tool_calls",
    texts: &[],
    json: &[&["function", "arguments"]],
    said: &["content", "refusal", "reasoning_content", "reasoning", "reasoning_details", "tool_calls", "audio"],
};

const ANY: Step = Step { event: "", delta: "", each: "", from: &[], to: &[], how: How::Put };

impl Format for ChatStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let first =
            if probe.val.is_array() { probe.val.elements().find(|e| is_chunk(*e)) } else { Some(probe.val) };
        match first {
            Some(first) if is_chunk(first) => 100,
            // An error in the middle of a stream, and the first event of Azure.
            Some(first) if first.get("prompt_filter_results").is_some() || is_error(first) => BARE,
            _ => 0,
        }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        // The first event of Azure has no choices; a server that fails says so in an event of its own.
        val.is_array()
            || ["choices", "error", "usage"].iter().any(|key| val.get(key).is_some()) && !claim::is_record(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Events(&REDUCTION, read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Head => {}
        Slice::Made => read_completion(record, sink),
        _ if record.val.is_array() => {
            let events = record.val.elements();
            events.for_each(|event| sink.mark(Mark::Piece(record.base.of(event), record.number)));
        }
        _ => sink.mark(Mark::Piece(record.base.of(record.val), record.number)),
    }
}

/// An event that carries nothing by which other systems' events could be told from it.
const BARE: u8 = 10;

fn is_error(event: Val<'_>) -> bool {
    event.count() == 1 && event.get(name::error).is_some_and(|error| error.is_object())
}

fn is_chunk(val: Val<'_>) -> bool {
    let Some(choices) = val.get(name::choices).filter(Val::is_array) else { return false };
    let has_delta =
        || choices.elements().next().is_some_and(|choice| choice.get("delta").is_some_and(|d| d.is_object()));
    !claim::is_record(val)
        && (val.get(name::object).is_some_and(|object| object.is("chat.completion.chunk")) || has_delta())
}

/// Reads the completion that the chunks add up to: each choice as a history.
fn read_completion(record: &Record<'_>, sink: &mut dyn Sink) {
    let model = record.val.get(name::model).and_then(|model| model.text());
    let model: Option<Box<str>> = model.map(|model| String::from_utf8_lossy(&model).into());
    for choice in completion::choices(record.val) {
        let read_only = Some(READ_ONLY);
        let settings = Settings { usage: Usage::Log, model: model.clone(), read_only, ..Settings::default() };
        sink.mark(Mark::Start(Box::new(settings)));
        completion::read_choice(choice, record, 0, Flags::default(), sink);
        sink.mark(Mark::End);
    }
}
