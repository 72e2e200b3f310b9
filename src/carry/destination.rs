//! The source and the destination of a session that is carried over.

use crate::message::SourceLocation;
use crate::place::{DocId, Place};
use crate::source::ReadAt;

use super::provider::SessionModel;

/// The history that is carried over.
pub struct SourceHistory<'s> {
    pub bytes: &'s dyn ReadAt,
    /// The place at which it begins.
    pub at: Place,
}

/// Where a written session belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Destination {
    /// The id by which the agent finds it.
    pub id: String,
    /// The path of the file below the agent's folder.
    pub file: String,
    /// The working directory for the agent.
    pub cwd: String,
    /// The provider and the model that it names; `None` if it names none.
    pub model: Option<SessionModel>,
    pub preparation: Preparation,
    /// The time at which it began, in Unix seconds.
    pub started: i64,
}

/// What was done to a conversation before it was written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Preparation {
    /// The number of turns that were left out, because fewer were requested.
    pub left_out: u32,
    /// True if calls became notes without the user asking for it.
    pub has_default_notes: bool,
}

/// The location of a loss of the session as a whole.
pub const WHOLE_SESSION: SourceLocation =
    SourceLocation { place: Place { doc: DocId(0), len: 0, start: 0 }, embedded: false };
