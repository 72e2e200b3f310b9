//! Formats whose lines are numbered, and addressed by their offsets: how a line is changed in place, and how a copy is
//! written in which lines can move.

use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::place::{Edit, Place};
use crate::source::lineage::Lineage;

/// The kind of a line in a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopiedLine {
    /// The header of a file: the copy has its own.
    Header,
    Line,
}

/// A format whose lines can be numbered.
pub trait NumberedLines: Sync {
    /// The lineage of a file, from its first line.
    fn lineage(&self, first: Val<'_>) -> Option<Lineage>;

    /// The number of a line.
    fn number(&self, line: Val<'_>) -> Option<u64>;

    /// Adds the edits that empty a line of its content, so that it need not be removed. Returns false if that is impossible.
    fn neutralise(&self, line: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> bool;

    /// Adds the edits that set the provider in a header. Returns the place of the provider; `None` if there is none.
    fn set_provider(&self, line: Val<'_>, name: &str, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Option<Place>;

    /// Adds the edits that make a line part of a copy. The header gets this id; lines of the copy are not numbered.
    fn copy_line(&self, line: Val<'_>, id: &str, base: RecordBase<'_>, out: &mut Vec<Edit>) -> CopiedLine;

    /// The file name of a copy, from that of the original and its header.
    fn file_name(&self, old: &str, first: Val<'_>, id: &str) -> String;

    /// The folder of a copy below that of the agent's sessions, from its file name.
    fn folder(&self, file_name: &str) -> String;

    /// The command that resumes a copy.
    fn resume_command(&self, id: &str) -> String;
}
