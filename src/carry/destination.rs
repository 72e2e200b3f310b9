//! What is carried over, and where it belongs then.

use crate::message::At;
use crate::place::{DocId, Place};
use crate::source::ReadAt;

/// The history that is carried over.
pub struct SourceHistory<'s> {
    pub bytes: &'s dyn ReadAt,
    /// Where it begins.
    pub at: Place,
}

/// Where a session belongs that was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Destination {
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
