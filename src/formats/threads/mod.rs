//! What readers of stores share: which dialect a session was sent in, its messages as its client sends them, and the
//! builder that puts a thread together from blocks and messages like those of a provider.

mod sendable;

use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::translate::Translated;
use crate::format::{Edited, FormatInfo, Histories, Part, Unit};
use crate::history::{Role, Settings, Unsent};
use crate::message::Message;

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
