//! What stores of agents and SDKs say in forms of their own: texts, thoughts, calls and results, each with its place. It is
//! written as messages of the dialect that the session was sent in, as its client writes them.

mod anthropic;
mod chat;
mod responses;
mod turn;

use crate::dialects::anthropic::ANTHROPIC;
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::translate::Told;
use crate::format::{Edited, FormatInfo, Histories, Part, Unit};
use crate::history::{Role, Settings, Unsent};

use turn::Unwritten;

pub(super) use turn::{Call, Id, Manner, Media, Says, Thought, Turn};

/// A format's rows for the dialects that it is written in. It is listed with one of them.
pub(super) struct Manners {
    pub anthropic: FormatInfo,
    pub chat: FormatInfo,
    pub responses: FormatInfo,
}

impl Manners {
    /// Of a store of an agent, which sends the whole history itself, to whatever provider the session names.
    pub const fn of_agent(row: FormatInfo) -> Manners {
        Manners::of(row, "chat-compatible", "openai-stateless")
    }

    /// Of what the applications of an SDK store.
    pub const fn of_sdk(row: FormatInfo) -> Manners {
        Manners::of(row, "chat", "openai")
    }

    /// The same row with the dialect and the target of each manner.
    const fn of(row: FormatInfo, chat: &'static str, responses: &'static str) -> Manners {
        Manners {
            anthropic: row,
            chat: FormatInfo { dialect: &CHAT, target: chat, ..row },
            responses: FormatInfo { dialect: &RESPONSES, target: responses, ..row },
        }
    }

    pub fn row(&self, manner: Manner) -> &FormatInfo {
        match manner {
            Manner::Anthropic => &self.anthropic,
            Manner::Chat => &self.chat,
            Manner::Responses => &self.responses,
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

/// Writes turns as a history in one of the dialects of a format.
pub(super) fn told(manners: &'static Manners, manner: Manner, settings: Settings, turns: Vec<Turn>) -> Told {
    told_in(manners.row(manner), settings, turns)
}

/// Writes turns as a history in the dialect of a row.
pub(super) fn told_in(info: &'static FormatInfo, settings: Settings, turns: Vec<Turn>) -> Told {
    let mut lost = Unwritten::default();
    let (request, messages) = match info.dialect.info().name {
        "anthropic" => anthropic::written(turns, &mut lost),
        "responses" => (None, responses::written(turns, &mut lost)),
        _ => (None, chat::written(turns, &mut lost)),
    };
    Told { request, lost: lost.list, ..Told::history(info, settings, messages) }
}

/// What turns say that are not sent, each part by itself.
pub(super) fn left(turns: &[Turn], why: &'static str) -> impl Iterator<Item = Unsent> {
    turns.iter().flat_map(move |turn| {
        let what = if turn.role == Role::Tool { "a result" } else { "a message" };
        turn.says.iter().map(move |says| Unsent::at(says.at(), turn.record, what, why))
    })
}
