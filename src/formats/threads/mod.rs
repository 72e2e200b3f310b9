//! What readers of stores share: which dialect a session was sent in, its messages as its client sends them, and the
//! builder that puts a thread together from blocks and messages like those of a provider.

mod blocks;
pub(super) mod builder;
mod embedded;
mod media;
mod messages;
mod pairing;
pub(super) mod parts;
mod sendable;
mod truncated;

use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::translate::Translated;
use crate::format::{Edited, FormatInfo, Histories, Part, Unit};
use crate::history::{Role, Settings, Unsent};
use crate::json::Val;
use crate::message::Message;

pub(super) use blocks::mcp_output;
pub(super) use builder::ThreadBuilder;
pub(super) use embedded::within;
pub(super) use media::media;
pub(super) use truncated::is_truncated;

/// A dialect that a session is sent in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DialectChoice {
    Anthropic,
    Chat,
    Responses,
}

/// A format's rows for the dialects that its sessions are sent in. It is listed with one of them.
pub(super) struct Dialects {
    pub anthropic: FormatInfo,
    pub chat: FormatInfo,
    pub responses: FormatInfo,
}

impl Dialects {
    /// Of a store of an agent, which sends the whole history itself, to whatever provider the session names.
    pub const fn of_agent(row: FormatInfo) -> Dialects {
        Dialects::of(row, "chat-compatible", "openai-stateless")
    }

    /// Of what the applications of an SDK store.
    pub const fn of_sdk(row: FormatInfo) -> Dialects {
        Dialects::of(row, "chat", "openai")
    }

    /// The same row with the dialect and the target of each choice.
    const fn of(row: FormatInfo, chat: &'static str, responses: &'static str) -> Dialects {
        Dialects {
            anthropic: row,
            chat: FormatInfo { dialect: &CHAT, target: chat, ..row },
            responses: FormatInfo { dialect: &RESPONSES, target: responses, ..row },
        }
    }

    pub fn row(&self, choice: DialectChoice) -> &FormatInfo {
        match choice {
            DialectChoice::Anthropic => &self.anthropic,
            DialectChoice::Chat => &self.chat,
            DialectChoice::Responses => &self.responses,
        }
    }
}

/// What such stores have in common.
pub(super) const STORE: FormatInfo = FormatInfo {
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    edited: Edited::Never,
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

/// A history of these messages in the dialect of a format's row, as clients send it: what they do not send is a loss.
pub(super) fn translated(info: &'static FormatInfo, settings: Settings, messages: Vec<Message>) -> Translated {
    let mut translated = Translated::history(info, settings, messages);
    sendable::fit(&mut translated);
    translated
}

/// What messages say that are not sent, each part by itself.
pub(super) fn left(messages: &[Message], why: &'static str) -> impl Iterator<Item = Unsent> {
    messages.iter().flat_map(move |message| {
        let what = if message.role == Role::Tool { "a result" } else { "a message" };
        message.parts.iter().map(move |part| Unsent::at(part.at.place, message.record, what, why))
    })
}

/// Whether a value is an object with a list under this key.
pub(super) fn has_list(val: Val<'_>, key: &str) -> bool {
    val.get(key).is_some_and(|list| list.is_array())
}

/// The conversations of an export: the elements of a list, or the document itself.
pub(super) fn each<'v>(val: Val<'v>) -> Vec<Val<'v>> {
    if val.is_array() { val.elements().collect() } else { vec![val] }
}

/// Conversations that are looked at to recognise an export.
pub(super) const SAMPLE: usize = 8;

/// Whether a document is one conversation of a kind, or a list of them.
pub(super) fn is_all(val: Val<'_>, is_one: fn(Val<'_>) -> bool) -> bool {
    match val.is_array() {
        true => val.count() > 0 && val.elements().take(SAMPLE).all(is_one),
        false => is_one(val),
    }
}
