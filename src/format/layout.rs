//! The five ways in which records become histories. Each format names one.

use super::envelope::Envelope;
use super::mark::{Mark, Sink};
use super::record::{Record, Slice};
use super::reduction::Reduction;
use super::requests::CustomAssembler;
use super::translate::ThreadReader;

/// Passes the items and marks of a record to the sink.
pub type ReadRecord = fn(&Record<'_>, &mut dyn Sink);

/// The way in which records become histories.
#[derive(Clone, Copy)]
pub enum Layout {
    /// Records contain items of a provider, unchanged.
    Items(ReadRecord),
    /// Records are requests and responses of a provider's API.
    Envelope(&'static Envelope),
    /// Records are events, or lists of them, that add up to messages by a table. They are passed on as [`Mark::Fragment`], and
    /// the messages are read by the function.
    Events(&'static Reduction, ReadRecord),
    /// Records are translated into messages of the format's dialect.
    Threads(fn() -> Box<dyn ThreadReader>),
    /// Records are events from which a history is assembled, not its items. They are passed on as [`Mark::Custom`].
    Custom(fn() -> Box<dyn CustomAssembler>, ReadRecord),
}

impl Layout {
    /// Passes the items and marks of a record to the sink; if records are translated, the record itself.
    pub fn read(self, record: &Record<'_>, sink: &mut dyn Sink) {
        match self {
            Layout::Items(read) | Layout::Custom(_, read) => read(record, sink),
            Layout::Events(_, read) => read_events(record, read, sink),
            Layout::Envelope(envelope) => envelope.read(record, sink),
            Layout::Threads(_) => sink.mark(Mark::Fragment(record.base.of(record.val), record.number)),
        }
    }

    /// The table by which events add up to messages, if they do.
    pub fn reduction(self) -> Option<&'static Reduction> {
        if let Layout::Events(reduction, _) = self { Some(reduction) } else { None }
    }

    /// The constructor of the reader that translates records, if they are translated.
    pub fn thread_reader(self) -> Option<fn() -> Box<dyn ThreadReader>> {
        if let Layout::Threads(reader) = self { Some(reader) } else { None }
    }

    /// A new assembler of the format, if it has one.
    pub fn assembler(self) -> Option<Box<dyn CustomAssembler>> {
        if let Layout::Custom(assembler, _) = self { Some(assembler()) } else { None }
    }

    /// True if records are translated into messages.
    pub fn is_translated(self) -> bool {
        matches!(self, Layout::Threads(_))
    }

    /// True if histories are read from text that is synthesised from the records.
    pub fn is_synthetic(self) -> bool {
        matches!(self, Layout::Events(..) | Layout::Threads(_))
    }
}

/// Passes on events, and reads a message that they add up to.
fn read_events(record: &Record<'_>, read_message: ReadRecord, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Synthetic => read_message(record, sink),
        _ if record.val.is_array() => {
            let events = record.val.elements();
            events.for_each(|event| sink.mark(Mark::Fragment(record.base.of(event), record.number)));
        }
        _ => sink.mark(Mark::Fragment(record.base.of(record.val), record.number)),
    }
}
