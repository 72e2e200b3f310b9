//! Lines for fine-tuning by preference: `{"input": {"messages": […]}, "preferred_output": […], "non_preferred_output":
//! […]}`. The input goes on with what is preferred; what is not is a history of its own.

use crate::dialects::chat::CHAT;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, around, read_array,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::name;

use super::chat_request;

pub struct ChatPreference;

pub static FORMAT: ChatPreference = ChatPreference;

static INFO: FormatInfo = FormatInfo {
    name: "chat-preference",
    title: "lines for fine-tuning by preference on Chat Completions",
    known_by: "`preferred_output`, `non_preferred_output` and `input.messages`",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["input", "messages"], unit: Unit::Element },
        Part { path: &["preferred_output"], unit: Unit::Element },
        Part { path: &["non_preferred_output"], unit: Unit::Element },
    ],
    ..FormatInfo::of(&CHAT, "chat")
};

impl Format for ChatPreference {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let input = || probe.val.get(name::input).is_some_and(|input| chat_request::body_score(input) > 0);
        let outputs =
            || ["preferred_output", "non_preferred_output"].iter().all(|key| probe.val.get(key).is_some());
        if probe.has(name::input) && outputs() && input() { 95 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let input = record.val.get(name::input);
    let start = |around| Mark::Start(Box::new(Settings { usage: Usage::Log, around, ..Settings::default() }));
    let output = |key: &str, part: u8, sink: &mut dyn Sink| {
        if let Some(messages) = record.val.get(key) {
            read_array(&CHAT, messages, record, part, Flags::default(), sink);
        }
        sink.mark(Mark::End);
    };
    let name = |name: &str| Mark::Settings(Settings::add_label, name.into());
    sink.mark(start(input.and_then(|input| around(input, record))));
    sink.mark(name("preferred"));
    if let Some(input) = input {
        chat_request::read_messages(input, record, 0, Flags::default(), sink);
    }
    output("preferred_output", 1, sink);
    sink.mark(start(None));
    sink.mark(name("non-preferred"));
    output("non_preferred_output", 2, sink);
}
