//! A message as the Messages API returns it: `{"type": "message", "role": "assistant", "content": […]}`. Replayed, it is
//! the end of a history.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Probe, Record, Sink, read_item};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{Val, name};

/// True if a value is a message, where the keys around it announce one.
pub(super) fn is_message(val: Val<'_>) -> bool {
    val.get(name::content).is_some()
}

/// The score of a record as a message that the API returned.
pub(in crate::formats) fn score(probe: &Probe<'_>) -> u8 {
    let has_keys = probe.has(name::r#type) && probe.has(name::role) && probe.has(name::content);
    let is_message = || probe.get(name::r#type).is_some_and(|kind| kind.is("message"));
    if has_keys && is_message() && probe.get(name::stop_reason).is_some() { 95 } else { 0 }
}

/// The settings of a message that is replayed.
pub(super) fn settings(message: Val<'_>, _: &Record<'_>) -> HistorySettings {
    let model = message.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    HistorySettings { usage: Usage::Log, model, ..HistorySettings::default() }
}

/// Reads a message. It is not in a list, so it cannot be removed or moved.
pub(super) fn read(message: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    read_item(&ANTHROPIC, message, record, part, flags | Flags::RECORDED | Flags::ALONE, sink);
}
