//! How records of a store become conversations, if they are not messages of a provider: a reader takes them in order, and
//! gives the threads that they hold. Each text of a thread remembers where it came from, so that findings point into the
//! store.

use crate::history::tree::Entry;
use crate::history::{Finding, Settings};
use crate::message::{Message, Raw, Thread};

use super::info::FormatInfo;

pub use super::record::Stored;

/// Translates the records of one doc.
pub trait ThreadReader {
    /// Takes the next record.
    fn take(&mut self, record: &Stored<'_>);

    /// The conversations of all of them, in the order in which they are reported.
    fn finish(self: Box<Self>) -> Vec<Translated>;
}

/// A reader of records that are conversations, or hold some, each of which has nothing to do with the others. `read` adds
/// those of a record.
pub fn by_record(read: fn(&Stored<'_>, &mut Vec<Translated>)) -> Box<dyn ThreadReader> {
    Box::new(ByRecord { read, threads: Vec::new() })
}

struct ByRecord {
    read: fn(&Stored<'_>, &mut Vec<Translated>),
    threads: Vec<Translated>,
}

impl ThreadReader for ByRecord {
    fn take(&mut self, record: &Stored<'_>) {
        (self.read)(record, &mut self.threads);
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        self.threads
    }
}

/// A conversation of a store, or a tree of them.
pub struct Translated {
    /// The row of the format, or one of the same name with the dialect that this conversation is sent in.
    pub info: &'static FormatInfo,
    pub settings: Settings,
    pub thread: Thread,
    /// Of a tree: its nodes, each with the number of messages before its own. Empty for a single history.
    pub entries: Vec<(usize, Entry)>,
    /// A body of the dialect with what the request says beside its messages; `None` if that is the thread's instructions.
    pub request: Option<Raw>,
    /// Problems of the store itself. Their rows have the places of what is wrong.
    pub findings: Vec<Finding>,
}

impl Translated {
    /// A history of these messages.
    pub fn history(info: &'static FormatInfo, settings: Settings, messages: Vec<Message>) -> Translated {
        let settings = Settings { usage: info.usage, ..settings };
        Translated {
            info,
            settings,
            thread: Thread::of(messages),
            entries: Vec::new(),
            request: None,
            findings: Vec::new(),
        }
    }
}
