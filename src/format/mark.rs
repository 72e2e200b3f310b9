//! The output of a format as it reads records: items, and marks between them.

use crate::dialect::Item;
use crate::history::ordinals::OrdinalHeader;
use crate::history::ranked_order::Rank;
use crate::history::tree::TreeEntry;
use crate::history::{Finding, HistorySettings};
use crate::message::LossKind;
use crate::place::Place;

use super::requests::CustomEvent;

/// A fact about the records, which a format reports as it reads them.
pub enum Mark {
    /// A history begins, with the settings of its request.
    Start(Box<HistorySettings>),
    /// The history that began is complete.
    End,
    /// A setting of the request that would replay the log, and the value to set.
    Settings(fn(&mut HistorySettings, Box<str>), Box<str>),
    /// A value outside of the request, which a conversion loses.
    NotConverted(Box<Finding>),
    /// A value of a record that is not sent: its place, the number of the record, and the reason.
    Unsent(Place, u32, &'static str),
    /// The client began a turn here. It counts for a rollback once it has a user message.
    Turn,
    /// A user message is here. In a log without marked turns it begins one.
    User,
    /// The current turn was aborted at this offset.
    Aborted(u64),
    /// This many of the newest turns were undone.
    Rollback(u32),
    /// All items so far are replaced by those that follow.
    Reset,
    /// All items so far except user messages are replaced by those that follow.
    ResetToUsers,
    /// A node of a tree begins, which contains the items that follow.
    Entry(Box<TreeEntry>),
    /// The items of the node so far were provisional; those that follow replace them.
    Replace,
    /// An event for the assembler of the format. The items that follow belong to it.
    Custom(Box<dyn CustomEvent>),
    /// An event that adds to a message, or a record to translate: its place, and the number of the record.
    Fragment(Place, u32),
    /// A part of the log begins that states its own order: the marks and items that follow are kept until all parts have
    /// been read.
    Ranked(Box<Rank>),
    /// A record that could not be read: its place and number.
    Unreadable(Place, u32),
    /// A line of a log with numbered lines: the number that it carries, and its contents if it is a header.
    Line { record: u32, number: Option<u64>, at: Place, header: Option<Box<OrdinalHeader>> },
}

impl Mark {
    /// A value of a record that a conversion loses.
    pub fn not_converted(loss: LossKind, at: Place, record: u32) -> Mark {
        Mark::NotConverted(Box::new(loss.to_finding(at, record)))
    }
}

/// The use of a text in a record when its history is replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextUse {
    Sent,
    /// Sent; a character that cannot be sent may be replaced.
    Replaceable,
    Unsent,
}

/// The receiver of the items, marks and findings of a record.
pub trait Sink {
    fn item(&mut self, item: Item<'_>);
    fn mark(&mut self, mark: Mark);
    fn report(&mut self, finding: Finding);
    /// The order of a page of items, if the user specified it.
    fn newest_first(&self) -> Option<bool>;
}
