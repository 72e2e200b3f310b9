//! A response of Bedrock's `Converse`: `{"output": {"message": …}, "stopReason": …}`. Replayed, its message is the end of
//! a history. It is a member of an object, so it can be changed, but not removed.

use crate::dialects::bedrock::BEDROCK;
use crate::format::{Record, Sink, read_item};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{Val, name};

/// The message of a response.
pub(super) fn message(response: Val<'_>) -> Option<Val<'_>> {
    response
        .at(&["output", "message"])
        .filter(|message| message.get(name::content).is_some_and(|list| list.is_array()))
}

/// The settings of a response that is replayed. It does not name its model.
pub(super) fn settings(_: Val<'_>, _: &Record<'_>) -> HistorySettings {
    HistorySettings { usage: Usage::Log, ..HistorySettings::default() }
}

/// Reads the message of a response.
pub(super) fn read_message(response: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(message) = message(response) {
        read_item(&BEDROCK, message, record, part, flags | Flags::RECORDED | Flags::ALONE, sink);
    }
}
