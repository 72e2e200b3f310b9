//! A completion as the API returns and stores it: `{"object": "chat.completion", "choices": [{"message": …}]}`. Each
//! choice is what one conversation would go on with.

use crate::dialects::chat::CHAT;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, name_answer, name_entry,
    read_item,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

pub struct ChatCompletion;

pub static FORMAT: ChatCompletion = ChatCompletion;

static INFO: FormatInfo = FormatInfo {
    name: "chat-completion",
    title: "response of the Chat Completions API",
    known_by: "`object` is \"chat.completion\", and `choices` is a list",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["choices"], unit: Unit::Element }],
    ..FormatInfo::of(&CHAT, "chat")
};

impl Format for ChatCompletion {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if is_completion(probe.val) { 100 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Element { .. } => read_choice(record.val, record, 0, Flags::default(), sink),
        _ => read_completion(record.val, record, 0, Flags::default(), sink),
    }
}

/// Whether a value is a completion with its choices.
pub(super) fn is_completion(val: Val<'_>) -> bool {
    val.get(name::choices).is_some_and(|choices| choices.is_array())
        && (val.get(name::object).is_some_and(|object| object.is("chat.completion")) || has_message(val))
}

/// Some servers leave `object` out.
fn has_message(val: Val<'_>) -> bool {
    choices(val).next().is_some_and(|choice| choice.at(&["message", "role"]).is_some())
}

pub(super) fn choices(completion: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    completion.get(name::choices).into_iter().flat_map(|choices| choices.elements())
}

/// Reads a completion: each choice as a history.
pub(super) fn read_completion(
    completion: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    let model = completion.get(name::model).and_then(|model| model.text());
    let model: Option<Box<str>> = model.map(|model| String::from_utf8_lossy(&model).into());
    let start =
        || Mark::Start(Box::new(Settings { usage: Usage::Log, model: model.clone(), ..Settings::default() }));
    let all = choices(completion).count();
    for (n, choice) in choices(completion).enumerate() {
        sink.mark(start());
        name_entry(record.val, record, sink);
        name_answer("choice", n, all, sink);
        read_choice(choice, record, part, flags, sink);
        sink.mark(Mark::End);
    }
    if choices(completion).next().is_none() {
        sink.mark(start());
        sink.mark(Mark::End);
    }
}

/// Reads the message of a choice. It is in no list, so it stays where it is.
pub(super) fn read_choice(choice: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(message) = choice.get(name::message) {
        read_item(&CHAT, message, record, part, flags | Flags::RECORDED | Flags::ALONE, sink);
    }
}
