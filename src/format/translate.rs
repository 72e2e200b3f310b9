//! Translation of records that are not messages of a provider: a reader gets the records of a store in order, and returns
//! the threads that they contain. Each text of a thread knows its origin, so that findings point into the store.

use crate::history::tree::TreeEntry;
use crate::history::{Finding, HistorySettings};
use crate::message::{Message, RawJson, Thread};

use super::info::FormatInfo;

pub use super::record::ParsedRecord;

/// Translates the records of one document.
pub trait ThreadReader {
    /// Reads the next record.
    fn read(&mut self, record: &ParsedRecord<'_>);

    /// The conversations of all records, in the order in which they are reported.
    fn finish(self: Box<Self>) -> Vec<TranslatedThread>;
}

/// A reader of independent records, each of which contains any number of conversations. `read` adds those of a record.
pub fn by_record(read: fn(&ParsedRecord<'_>, &mut Vec<TranslatedThread>)) -> Box<dyn ThreadReader> {
    Box::new(PerRecordReader { read, threads: Vec::new() })
}

struct PerRecordReader {
    read: fn(&ParsedRecord<'_>, &mut Vec<TranslatedThread>),
    threads: Vec<TranslatedThread>,
}

impl ThreadReader for PerRecordReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        (self.read)(record, &mut self.threads);
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        self.threads
    }
}

/// A conversation of a store, or a tree of them.
pub struct TranslatedThread {
    /// The row of the format, with the dialect in which this conversation is sent.
    pub info: &'static FormatInfo,
    pub settings: HistorySettings,
    pub thread: Thread,
    /// The nodes of a tree, each with the number of messages before its own. Empty for a single history.
    pub entries: Vec<(usize, TreeEntry)>,
    /// A body of the dialect with the members of the request other than its messages; `None` if these are only the
    /// instructions of the thread.
    pub request: Option<RawJson>,
    /// Problems of the store itself. Their rows have the places of the problems.
    pub findings: Vec<Finding>,
}

impl TranslatedThread {
    /// A single history of these messages.
    pub fn from_messages(
        info: &'static FormatInfo,
        settings: HistorySettings,
        messages: Vec<Message>,
    ) -> TranslatedThread {
        let settings = HistorySettings { usage: info.usage, ..settings };
        TranslatedThread {
            info,
            settings,
            thread: Thread::of(messages),
            entries: Vec::new(),
            request: None,
            findings: Vec::new(),
        }
    }
}
