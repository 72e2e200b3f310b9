//! How records of a store are retold, if they are not messages of a provider: a teller takes them in order, and says which
//! histories they hold, in messages that are put together from pieces of the records. Each piece remembers where it came
//! from, so that findings point into the store.

use crate::history::{Finding, Settings};
use crate::json::pieces::Pieced;

use super::info::FormatInfo;
use super::mark::Mark;

pub use super::record::Stored;

/// Retells the records of one doc.
pub trait ThreadReader {
    /// Takes the next record.
    fn take(&mut self, record: &Stored<'_>);

    /// What all of them say: the histories, in the order in which they are reported.
    fn finish(self: Box<Self>) -> Vec<Told>;
}

/// A teller of records that are conversations, or hold some: what one says has nothing to do with the others. `tell` adds the
/// histories of a record.
pub fn by_record(tell: fn(&Stored<'_>, &mut Vec<Told>)) -> Box<dyn ThreadReader> {
    Box::new(ByRecord { tell, told: Vec::new() })
}

struct ByRecord {
    tell: fn(&Stored<'_>, &mut Vec<Told>),
    told: Vec<Told>,
}

impl ThreadReader for ByRecord {
    fn take(&mut self, record: &Stored<'_>) {
        (self.tell)(record, &mut self.told);
    }

    fn finish(self: Box<Self>) -> Vec<Told> {
        self.told
    }
}

/// A history as it was retold, or a tree of them.
pub struct Told {
    /// The row of the format, or one of the same name with the dialect that this history is retold in.
    pub info: &'static FormatInfo,
    pub says: Vec<Say>,
    /// What the request says beside its messages, such as instructions: members of a body of the dialect.
    pub request: Option<Pieced>,
    /// What the store says, and the dialect cannot.
    pub lost: Vec<Finding>,
}

/// What is said of a history, in order.
pub enum Say {
    /// A message or an item of the dialect, and the number of the record that it begins in.
    Message(Pieced, u32),
    /// The same as of records that are read as they are.
    Mark(Mark),
    /// A problem of the store itself. Its row has the place of what is wrong.
    Find(Finding),
}

impl Told {
    /// A history by itself, of these messages.
    pub fn history(info: &'static FormatInfo, settings: Settings, messages: Vec<Say>) -> Told {
        let settings = Settings { usage: info.usage, ..settings };
        let start = std::iter::once(Say::Mark(Mark::Start(Box::new(settings))));
        let says = start.chain(messages).chain(std::iter::once(Say::Mark(Mark::End))).collect();
        Told { info, says, request: None, lost: Vec::new() }
    }
}
