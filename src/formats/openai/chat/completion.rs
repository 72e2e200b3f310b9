//! A completion as the API returns and stores it: `{"object": "chat.completion", "choices": [{"message": …}]}`. Each
//! choice is what one conversation would go on with.

use crate::dialects::chat::CHAT;
use crate::format::{Record, Sink, read_item};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

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

/// What a completion says that is replayed.
pub(super) fn settings(completion: Val<'_>, _: &Record<'_>) -> Settings {
    let model = completion.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    Settings { usage: Usage::Log, model, ..Settings::default() }
}

/// Reads the message of a choice. It is in no list, so it stays where it is.
pub(super) fn read_choice(choice: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(message) = choice.get(name::message) {
        read_item(&CHAT, message, record, part, flags | Flags::RECORDED | Flags::ALONE, sink);
    }
}
