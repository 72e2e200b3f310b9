//! What a format hands over as it reads records: items, and marks between them.

use crate::dialect::Item;
use crate::history::numbered::Header;
use crate::history::ranked::Rank;
use crate::history::tree::Entry;
use crate::history::{Finding, Settings};
use crate::place::Place;

use super::requests::Own;

/// What a format tells about the records as it reads them.
pub enum Mark {
    /// A history begins; what is known about its request.
    Start(Box<Settings>),
    /// The history that began is complete.
    End,
    /// What a log says on the way about the request that would replay it.
    Settings(fn(&mut Settings, Box<str>), Box<str>),
    /// What a record says beside the request, which is lost where that is converted.
    NotConverted(Finding),
    /// A record holds something that is not sent, and why.
    Unsent(Place, u32, &'static str),
    /// The client began a turn here. It counts for a rollback once the user speaks in it.
    Turn,
    /// The user speaks here. In a log without marked turns this begins one.
    User,
    /// The turn at hand was cut off at this offset.
    Aborted(u64),
    /// The newest turns were taken back.
    Rollback(u32),
    /// All items so far were replaced by what follows.
    Reset,
    /// All items so far were replaced by the user's messages among them; then what follows.
    ResetToUsers,
    /// A node of a tree begins: the items that follow are its own.
    Entry(Box<Entry>),
    /// The items of the node so far were provisional; what follows replaces them.
    Replace,
    /// An event for the format's own assembler: the items that follow are what it says.
    Own(Box<dyn Own>),
    /// An event that adds to a message: where, and the number of its record.
    Piece(Place, u32),
    /// A part of the log begins that says itself where it belongs: the marks and items that follow wait until all are
    /// there.
    Ranked(Box<Rank>),
    /// A record here could not be read: where, and its number.
    Lost(Place, u32),
    /// A line of a log that may number its lines, the number that it carries, and what it says if it is a header.
    Line { record: u32, number: Option<u64>, at: Place, header: Option<Box<Header>> },
}

/// What becomes of a text in a record when its history is replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextAt {
    Sent,
    /// The same, and a character of it that cannot be sent may give way to another one.
    Replaceable,
    Unsent,
}

/// Takes what a format finds in a record.
pub trait Sink {
    fn item(&mut self, item: Item<'_>);
    fn mark(&mut self, mark: Mark);
    fn find(&mut self, finding: Finding);
    /// How a page of items is ordered, if the user said so.
    fn newest_first(&self) -> Option<bool>;
}
