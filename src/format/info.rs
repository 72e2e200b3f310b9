//! A format's row in the table of formats: its name and what it is, which dialect its items are of, where they lie, and how
//! its records make histories.

use crate::dialect::Dialect;
use crate::history::Usage;
use crate::json::Val;

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
    pub dialect: &'static dyn Dialect,
    pub target: &'static str,
    pub usage: Usage,
    pub histories: Histories,
    pub parts: &'static [Part],
    /// Holds responses as they were received: proof of what stood next to what.
    pub records_responses: bool,
}

impl FormatInfo {
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
