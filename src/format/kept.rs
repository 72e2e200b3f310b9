//! Formats whose lines are numbered, and found by their offsets: what a line may become in its place, and how a copy is
//! made whose lines may move.

use crate::json::Val;
use crate::json::edit::Base;
use crate::place::{Edit, Place};
use crate::source::lineage::Lineage;

/// What a line becomes in a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Copied {
    /// The header of a file: the copy has one of its own.
    Header,
    Line,
}

/// A format whose lines may be numbered.
pub trait KeptLines: Sync {
    /// What the first line of a file says.
    fn lineage(&self, first: Val<'_>) -> Option<Lineage>;

    /// The number of a line.
    fn number(&self, line: Val<'_>) -> Option<u64>;

    /// Makes a line say nothing, so that it need not go. `false` if it cannot be made so.
    fn silence(&self, line: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> bool;

    /// The edits that set the provider in a header, or why there are none.
    fn provider(&self, line: Val<'_>, name: &str, base: Base<'_>, out: &mut Vec<Edit>) -> Option<Place>;

    /// The edits that make a line part of a copy. The header gets this id, and the copy's lines are not numbered.
    fn copied(&self, line: Val<'_>, id: &str, base: Base<'_>, out: &mut Vec<Edit>) -> Copied;

    /// The name of the file of a copy, by that of the file it is made of and what its header says.
    fn file_name(&self, old: &str, first: Val<'_>, id: &str) -> String;

    /// The command that goes on with a copy.
    fn resume(&self, id: &str) -> String;
}
