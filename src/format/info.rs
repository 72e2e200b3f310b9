//! A format's row in the table of formats: its name and what it is, which dialect its items are of, where they lie, and how
//! its records make histories.

use crate::dialect::Dialect;
use crate::history::Usage;
use crate::json::Val;

use super::editor::{Editor, Placeholder};
use super::handover::Handover;
use super::kept::KeptLines;
use super::mark::TextAt;
use super::probe::Probe;
use super::requests::Requests;
use super::unsent::UnsentPaths;
use super::upstream::Upstream;

/// Where a format's items lie. Rows carry the number of their part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Keys from the record down to the array of items, or to the item that the record holds.
    pub path: &'static [&'static str],
    pub unit: Unit,
}

/// What goes when an item is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The record: a line holds one item.
    Record,
    /// An element of an array.
    Element,
    /// The message around the item, wherever the item lies in it: an element of the record, if that is a list, or the
    /// record. It holds nothing else.
    Message,
    /// An element of a list in a message. The message goes with the last of them.
    Block,
    /// The same, in a message that says more than the list: it stays, with an empty one.
    Entry,
}

impl Unit {
    /// Items lie in messages, and messages in the record.
    pub fn is_nested(self) -> bool {
        matches!(self, Unit::Message | Unit::Block | Unit::Entry)
    }
}

/// How records make histories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Histories {
    /// Each record is one by itself.
    PerRecord,
    /// All records of a doc make one.
    PerDoc,
    /// All records of a doc make a tree; its live branch is one, and so is that of each side chain.
    Tree,
    /// The same, of lines in the manner of Claude Code: they name one another, and a request is written anew of them.
    Session,
    /// Each node that the records of a doc make is one by itself.
    PerNode,
}

impl Histories {
    /// A record alone says nothing.
    pub fn span_records(self) -> bool {
        self != Histories::PerRecord
    }

    /// The histories of a doc may begin with the same items.
    pub fn shares_rows(self) -> bool {
        matches!(self, Histories::Tree | Histories::Session | Histories::PerNode)
    }
}

/// A format's row in the table of formats.
#[derive(Clone, Copy)]
pub struct FormatInfo {
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// By what a file of it is recognised, in one line.
    pub known_by: &'static str,
    /// The source that it was read from; `None` if it was only observed in files.
    pub upstream: Option<Upstream>,
    pub dialect: &'static dyn Dialect,
    pub target: &'static str,
    pub usage: Usage,
    pub histories: Histories,
    pub parts: &'static [Part],
    /// Holds responses as they were received: proof of what stood next to what.
    pub records_responses: bool,
    /// It is stored in the tables of a database, by which it is recognised.
    pub stored_in_tables: bool,
    /// It is read only where the user names it: nothing in its records tells it from other data.
    pub named_only: bool,
    /// Its client goes on by appending lines: to a last line without an end, the next one would be glued.
    pub appended: bool,
    /// A log may lie in several files: what a compaction took out of it beside what is left.
    pub segments: bool,
    /// Why none of its records is edited, however the rest of the document is read.
    pub read_only: Option<&'static str>,
    /// What is changed of it in place.
    pub edited: Edited,
    /// How it is repaired in place, if its records are translated; other stores are edited item by item.
    pub editor: Option<&'static Editor>,
    /// What comes in the place of a line that is not JSON, so that what follows it can be reached.
    pub placeholder: Option<Placeholder>,
    /// A file beside the store that names its messages by their positions, and the member that does: while it is there,
    /// no message may be added or taken out in place.
    pub positions: Option<(&'static str, &'static str)>,
    /// What of its records no request says, if they are translated. Whatever else no message is made of is a loss.
    pub unsent: &'static [UnsentPaths],
    /// How lines of such a log are counted, and found by their offsets, if they may be.
    pub kept_lines: Option<&'static dyn KeptLines>,
    /// How requests are found and rebuilt, if the log only names them.
    pub requests: Option<&'static dyn Requests>,
    /// What the program that keeps the store can do instead of a repair, if the store is not edited.
    pub handover: Option<&'static Handover>,
    /// Whether nothing in a document speaks against this format: enough if the user's target has its dialect, and nothing
    /// says surely that the document is of another.
    pub may_be: Option<fn(&Probe<'_>) -> bool>,
    /// What becomes of the text at an offset of a record; `None` where all of it is sent.
    pub text_at: Option<fn(Val<'_>, u32) -> TextAt>,
}

impl FormatInfo {
    /// A format whose items are of a dialect, judged by a target unless the user names another: what most formats have in
    /// common, without a name. Each says the rest.
    pub const fn of(dialect: &'static dyn Dialect, target: &'static str) -> FormatInfo {
        FormatInfo {
            name: "",
            title: "",
            known_by: "",
            upstream: None,
            dialect,
            target,
            usage: Usage::Log,
            histories: Histories::PerRecord,
            parts: &[],
            records_responses: false,
            stored_in_tables: false,
            named_only: false,
            appended: false,
            segments: false,
            read_only: None,
            edited: Edited::Whole,
            editor: None,
            placeholder: None,
            positions: None,
            unsent: &[],
            kept_lines: None,
            requests: None,
            handover: None,
            may_be: None,
            text_at: None,
        }
    }

    /// Whether nothing in a document speaks against this format.
    pub fn may_be(&self, probe: &Probe<'_>) -> bool {
        self.may_be.is_some_and(|may_be| may_be(probe))
    }

    /// What becomes of the text at an offset of a record.
    pub fn text_at(&self, record: Val<'_>, at: u32) -> TextAt {
        self.text_at.map_or(TextAt::Sent, |text_at| text_at(record, at))
    }

    /// Whether a program goes on writing to the store while it is read: it appends lines or rows, keeps another file in step
    /// with it, or moves out of it what it has compacted. A request, an export or a data set is written once.
    pub fn is_kept(&self) -> bool {
        self.appended || self.stored_in_tables || self.positions.is_some() || self.segments
    }

    /// What holds the list of a part in a record.
    pub fn holder<'r>(&self, record: Val<'r>, part: usize) -> Option<Val<'r>> {
        let (_, above) = self.parts.get(part)?.path.split_last()?;
        record.at(above)
    }
}

/// What `fix` changes of a store where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edited {
    /// Whatever the findings need.
    Whole,
    /// What the format itself repairs.
    Partly,
    Never,
}

impl Edited {
    pub fn name(self) -> &'static str {
        match self {
            Edited::Whole => "yes",
            Edited::Partly => "in part",
            Edited::Never => "no",
        }
    }
}
