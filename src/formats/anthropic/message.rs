//! A message as the Messages API returns it: `{"type": "message", "role": "assistant", "content": […]}`. Replayed, it is
//! the tail of a history.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Probe, Record, Sink, read_item};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

pub(super) fn is_message(val: Val<'_>) -> bool {
    val.get(name::content).is_some()
}

/// How surely a record is a message as the API returns it.
pub(in crate::formats) fn score(probe: &Probe<'_>) -> u8 {
    let told = probe.has(name::r#type) && probe.has(name::role) && probe.has(name::content);
    let is_message = || probe.val.get(name::r#type).is_some_and(|kind| kind.is("message"));
    if told && is_message() && probe.val.get(name::stop_reason).is_some() { 95 } else { 0 }
}

/// What a message says that is replayed.
pub(super) fn settings(message: Val<'_>, _: &Record<'_>) -> Settings {
    let model = message.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    Settings { usage: Usage::Log, model, ..Settings::default() }
}

/// Reads a message. It is in no list, so it stays where it is.
pub(super) fn read(message: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    read_item(&ANTHROPIC, message, record, part, flags | Flags::RECORDED | Flags::ALONE, sink);
}
