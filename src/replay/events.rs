//! Reading a stream of events for its requests: the events go into the reduction as they come.

use crate::dialect::Item;
use crate::format::{Format, FormatInfo, Mark, Sink};
use crate::formats::iterate_stream;
use crate::history::Finding;
use crate::history::stream::{Event, Stream};
use crate::read::records::Entry;

/// Feeds a stream, and keeps the event that came last.
#[derive(Default)]
pub struct Feed {
    pub stream: Stream,
    pub event: Option<Event>,
}

impl Feed {
    /// Takes a record, if it is an event. Says whether it is.
    pub fn take(&mut self, entry: &Entry<'_>) -> bool {
        self.event = None;
        if let (Some(format), Some(val)) = (entry.format.filter(|format| is_stream(format.info())), entry.val) {
            format.read(&entry.record(val), self);
        }
        self.event.is_some()
    }
}

/// Whether a format stores events from which histories are reduced.
pub fn is_stream(info: &FormatInfo) -> bool {
    info.name == iterate_stream::FORMAT.info().name
}

impl Sink for Feed {
    fn item(&mut self, item: Item<'_>) {
        self.stream.rows(&[item.row]);
    }

    fn mark(&mut self, mark: Mark) {
        if let Mark::Event(event) = mark {
            self.stream.event(&event);
            self.event = Some(*event);
        }
    }

    fn find(&mut self, _: Finding) {}

    fn newest_first(&self) -> Option<bool> {
        None
    }
}
