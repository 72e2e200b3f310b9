//! Lines for fine-tuning by preference: `{"input": {"messages": […]}, "preferred_output": […], "non_preferred_output":
//! […]}`. The input and the preferred output are one history; the other output is a history by itself.

use crate::dialects::chat::CHAT;
use crate::format::{Mark, Record, Sink, read_array, request_body};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::name;

use super::request;

/// Reads a line: two histories.
pub(in crate::formats) fn read(record: &Record<'_>, sink: &mut dyn Sink) {
    let input = record.val.get(name::input);
    let settings = || HistorySettings { usage: Usage::Log, ..HistorySettings::default() };
    let start = |settings| Mark::Start(Box::new(settings));
    let output = |key: &str, part: u8, sink: &mut dyn Sink| {
        if let Some(messages) = record.val.get(key) {
            read_array(&CHAT, messages, record, part, Flags::default(), sink);
        }
        sink.mark(Mark::End);
    };
    let name = |name: &str| Mark::Settings(HistorySettings::add_label, name.into());
    let body = input.and_then(|input| request_body(input, record));
    let training_line = Some(record.base.of(record.val));
    sink.mark(start(HistorySettings { body, training_line, ..settings() }));
    sink.mark(name("preferred"));
    if let Some(input) = input {
        request::read_messages(input, record, 0, Flags::default(), sink);
    }
    output("preferred_output", 1, sink);
    sink.mark(start(HistorySettings { is_rejected_answer: true, ..settings() }));
    sink.mark(name("non-preferred"));
    output("non_preferred_output", 2, sink);
}
