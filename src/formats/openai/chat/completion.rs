//! A completion as the API returns and stores it: `{"object": "chat.completion", "choices": [{"message": …}]}`. Each
//! choice is an alternative continuation of the conversation.

use crate::dialects::chat::CHAT;
use crate::format::{Record, Sink, read_item};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{Val, name};

/// True if a value is a completion with its choices.
pub(super) fn is_completion(val: Val<'_>) -> bool {
    val.get(name::choices).is_some_and(|choices| choices.is_array())
        && (val.get(name::object).is_some_and(|object| object.is("chat.completion")) || has_message(val))
}

/// True if the first choice has a message. Some servers omit `object`.
fn has_message(val: Val<'_>) -> bool {
    choices(val).next().is_some_and(|choice| choice.at(&["message", "role"]).is_some())
}

/// The choices of a completion.
pub(super) fn choices(completion: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    completion.get(name::choices).into_iter().flat_map(|choices| choices.elements())
}

/// The settings of a completion that is replayed.
pub(super) fn settings(completion: Val<'_>, _: &Record<'_>) -> HistorySettings {
    let model = completion.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    HistorySettings { usage: Usage::Log, model, ..HistorySettings::default() }
}

/// Reads the message of a choice. It is not in a list, so it cannot be removed or moved.
pub(super) fn read_choice(choice: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(message) = choice.get(name::message) {
        read_item(&CHAT, message, record, part, flags | Flags::RECORDED | Flags::ALONE, sink);
    }
}
