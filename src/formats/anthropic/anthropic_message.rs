//! A message as the Messages API returns it: `{"type": "message", "role": "assistant", "content": […]}`. Replayed, it is
//! the tail of a history.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, name_entry, read_item,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

pub struct AnthropicMessage;

pub static FORMAT: AnthropicMessage = AnthropicMessage;

static INFO: FormatInfo = FormatInfo {
    name: "anthropic-message",
    title: "message as the Anthropic Messages API returns it",
    known_by: "`type` is \"message\", with `stop_reason`, `role` and `content`",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &[], unit: Unit::Record }],
    records_responses: true,
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

impl Format for AnthropicMessage {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let told = probe.has(name::r#type) && probe.has(name::role) && probe.has(name::content);
        let is_message = || probe.val.get(name::r#type).is_some_and(|kind| kind.is("message"));
        if told && is_message() && probe.val.get(name::stop_reason).is_some() { 95 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    // An element of a large document is a block; the message comes whole where it can be scanned at once.
    if !matches!(record.slice, Slice::Element { .. }) {
        read_message(record.val, record.val, record, 0, sink);
    }
}

/// Reads a message as a history by itself. It is in no list, so it stays where it is.
pub(super) fn read_message(message: Val<'_>, entry: Val<'_>, record: &Record<'_>, part: u8, sink: &mut dyn Sink) {
    let model = message.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, model, ..Settings::default() })));
    name_entry(entry, record, sink);
    read_item(&ANTHROPIC, message, record, part, Flags::RECORDED | Flags::ALONE, sink);
    sink.mark(Mark::End);
}
