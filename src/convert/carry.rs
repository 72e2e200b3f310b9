//! The contract of sessions that another agent resumes: what conversion asks of their writer.

use crate::message::{At, Conversation, Losses, Takes};
use crate::place::{DocId, Place};
use crate::source::ReadAt;

/// Writes sessions of another agent.
pub trait Carry: Sync {
    fn takes(&self) -> &'static Takes;

    /// The format that reads what is written.
    fn format(&self) -> &'static str;

    /// Whether what is written is one document, instead of lines.
    fn is_document(&self) -> bool;

    /// The agent keeps what can be read of thoughts, without what seals them.
    fn keeps_thoughts(&self) -> bool;

    /// Whether a history is that of a subagent, which belongs to another one of its doc.
    fn belongs_to_another(&self, history: &Source<'_>) -> bool;

    /// Takes away what the agent does not take over. Gives how many turns were left out because fewer were wanted.
    fn prepare(&self, conversation: &mut Conversation, source: &Source<'_>, losses: &mut Losses) -> u32;

    /// Writes a conversation that was fitted to what the agent takes.
    fn write(
        &self,
        conversation: &Conversation,
        source: &Source<'_>,
        losses: &mut Losses,
        out: &mut Vec<u8>,
    ) -> Landing;
}

/// The history that is carried over.
pub struct Source<'s> {
    pub bytes: &'s dyn ReadAt,
    /// Where it begins.
    pub at: Place,
}

/// Where a session belongs that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Landing {
    /// Its id, by which the agent finds it.
    pub id: String,
    /// The file in the agent's folder, with folders below that.
    pub file: String,
    /// The folder in which the agent works on.
    pub cwd: String,
    /// Turns that were left out, because fewer were wanted.
    pub left_out: u32,
    /// When it began, in Unix seconds.
    pub began: i64,
}

/// A loss of the session as a whole.
pub const WHOLE: At = At { place: Place { doc: DocId(0), len: 0, start: 0 }, embedded: false };
