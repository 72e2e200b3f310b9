//! Shared code of readers of stores: the choice of a dialect, the messages as the client sends them, and the builder of a
//! thread from blocks and messages like those of a provider.

mod blocks;
pub(super) mod builder;
mod embedded_json;
mod filter;
mod first_positions;
mod media;
mod messages;
mod pairing;
pub(super) mod parts;
mod truncation;

use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::chat::CHAT;
use crate::dialects::gemini::GEMINI;
use crate::dialects::responses::RESPONSES;
use crate::format::translate::TranslatedThread;
use crate::format::{EditSupport, FormatInfo, HistoryScope, RecordPart, RemovalUnit};
use crate::history::{HistorySettings, Role, UnsentItem};
use crate::json::Val;
use crate::message::Message;

pub(super) use blocks::mcp_output;
pub(super) use builder::ThreadBuilder;
pub(super) use embedded_json::with_parsed;
pub(super) use first_positions::FirstPositions;
pub(super) use media::media;
pub(super) use truncation::is_truncated;

/// A dialect in which a session is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DialectChoice {
    Anthropic,
    Chat,
    Responses,
    Gemini,
}

/// A format's rows for the dialects in which its sessions are sent. The table of formats has one of them.
pub(super) struct Dialects {
    pub anthropic: FormatInfo,
    pub chat: FormatInfo,
    pub responses: FormatInfo,
    pub gemini: FormatInfo,
}

impl Dialects {
    /// The rows of an agent's store. The agent sends the whole history to the provider that the session names.
    pub const fn of_agent(row: FormatInfo) -> Dialects {
        Dialects::of(row, "chat-compatible", "openai-stateless")
    }

    /// The rows of a store of applications of an SDK.
    pub const fn of_sdk(row: FormatInfo) -> Dialects {
        Dialects::of(row, "chat", "openai")
    }

    /// One row with the dialect and the target of each choice.
    const fn of(row: FormatInfo, chat: &'static str, responses: &'static str) -> Dialects {
        Dialects {
            anthropic: row,
            chat: FormatInfo { dialect: &CHAT, target: chat, ..row },
            responses: FormatInfo { dialect: &RESPONSES, target: responses, ..row },
            gemini: FormatInfo { dialect: &GEMINI, target: "gemini", ..row },
        }
    }

    /// The row for a dialect.
    pub fn row(&self, choice: DialectChoice) -> &FormatInfo {
        match choice {
            DialectChoice::Anthropic => &self.anthropic,
            DialectChoice::Chat => &self.chat,
            DialectChoice::Responses => &self.responses,
            DialectChoice::Gemini => &self.gemini,
        }
    }
}

/// The defaults of such stores.
pub(super) const STORE: FormatInfo = FormatInfo {
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

/// A history of these messages in the dialect of a format's row, as clients send it. Parts that they do not send are
/// losses.
pub(super) fn translate(
    info: &'static FormatInfo,
    settings: HistorySettings,
    messages: Vec<Message>,
) -> TranslatedThread {
    let mut translated = TranslatedThread::from_messages(info, settings, messages);
    filter::drop_unsendable(&mut translated);
    translated
}

/// The parts of messages that are not sent.
pub(super) fn unsent_parts(messages: &[Message], why: &'static str) -> impl Iterator<Item = UnsentItem> {
    messages.iter().flat_map(move |message| {
        let what = if message.role == Role::Tool { "a result" } else { "a message" };
        message.parts.iter().map(move |part| UnsentItem::at(part.at.place, message.record, what, why))
    })
}

/// True if a value is an object with a list under this key.
pub(super) fn has_list(val: Val<'_>, key: &str) -> bool {
    val.get(key).is_some_and(|list| list.is_array())
}

/// The elements of a list, or the value itself.
pub(super) fn as_list<'v>(val: Val<'v>) -> Vec<Val<'v>> {
    if val.is_array() { val.elements().collect() } else { vec![val] }
}

/// The maximum number of conversations that are examined to recognise an export.
pub(super) const SAMPLE: usize = 8;

/// True if a document is one conversation of a kind, or a list of them.
pub(super) fn all_match(val: Val<'_>, is_one: fn(Val<'_>) -> bool) -> bool {
    match val.is_array() {
        true => val.count() > 0 && val.elements().take(SAMPLE).all(is_one),
        false => is_one(val),
    }
}
