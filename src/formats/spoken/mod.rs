//! What stores of agents and SDKs say in forms of their own: texts, thoughts, calls and results, each with its place. It is
//! written as messages of the dialect that the session was sent in, as its client writes them.

mod anthropic;
mod chat;
mod responses;
mod turn;

use crate::format::FormatInfo;
use crate::format::retelling::{Say, Told};
use crate::history::Settings;

pub(super) use turn::{Call, Id, Manner, Media, Says, Thought, Turn};

/// A format's rows for the dialects that it is written in.
pub(super) struct Manners {
    pub anthropic: &'static FormatInfo,
    pub chat: &'static FormatInfo,
    pub responses: &'static FormatInfo,
}

/// Writes turns as a history.
pub(super) fn told(manners: &Manners, manner: Manner, settings: Settings, turns: Vec<Turn>) -> Told {
    let (info, messages): (_, Vec<Say>) = match manner {
        Manner::Anthropic => (manners.anthropic, anthropic::written(turns)),
        Manner::Chat => (manners.chat, chat::written(turns)),
        Manner::Responses => (manners.responses, responses::written(turns)),
    };
    Told::history(info, settings, messages)
}
