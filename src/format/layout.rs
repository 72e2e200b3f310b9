//! How the records of a format become histories: five ways, one of which each format names.

use super::envelope::Envelope;
use super::mark::{Mark, Sink};
use super::record::Record;
use super::reduction::Reduction;
use super::requests::Assemble;
use super::translate::ThreadReader;

/// Hands the items and marks of a record to the sink.
pub type ReadRecord = fn(&Record<'_>, &mut dyn Sink);

/// How records become histories.
#[derive(Clone, Copy)]
pub enum Layout {
    /// Records hold the items of a provider as they are.
    Items(ReadRecord),
    /// Records are requests and responses of a provider's API.
    Envelope(&'static Envelope),
    /// Records are events that add up to messages, by a table. They are handed over as [`Mark::Piece`], and what they add up
    /// to is read as [`Slice::Made`](super::Slice::Made).
    Events(&'static Reduction, ReadRecord),
    /// Records are translated into messages of the format's dialect.
    Threads(fn() -> Box<dyn ThreadReader>),
    /// Records are events that a history follows from, and no items of one. They are handed over as [`Mark::Own`].
    Custom(fn() -> Box<dyn Assemble>, ReadRecord),
}

impl Layout {
    /// Hands the items and marks of a record to the sink; of records that are translated, the record.
    pub fn read(self, record: &Record<'_>, sink: &mut dyn Sink) {
        match self {
            Layout::Items(read) | Layout::Events(_, read) | Layout::Custom(_, read) => read(record, sink),
            Layout::Envelope(envelope) => envelope.read(record, sink),
            Layout::Threads(_) => sink.mark(Mark::Piece(record.base.of(record.val), record.number)),
        }
    }

    /// How events add up to messages.
    pub fn reduction(self) -> Option<&'static Reduction> {
        if let Layout::Events(reduction, _) = self { Some(reduction) } else { None }
    }

    /// What translates the records of a document.
    pub fn thread_reader(self) -> Option<fn() -> Box<dyn ThreadReader>> {
        if let Layout::Threads(reader) = self { Some(reader) } else { None }
    }

    /// What the events of a document are assembled by.
    pub fn assembler(self) -> Option<Box<dyn Assemble>> {
        if let Layout::Custom(assembler, _) = self { Some(assembler()) } else { None }
    }

    /// Whether records are translated into messages.
    pub fn is_translated(self) -> bool {
        matches!(self, Layout::Threads(_))
    }

    /// Whether histories are read from text that is made of the records.
    pub fn is_made(self) -> bool {
        matches!(self, Layout::Events(..) | Layout::Threads(_))
    }
}
