//! Tracking of a stream's requests: events are added to the reduction as they are read.

use crate::dialect::Item;
use crate::format::requests::{Context, Divergence, RecordClass, RepeatedMessages, RequestTracker};
use crate::format::{Mark, Record, Sink};
use crate::history::Finding;
use crate::json::Val;
use crate::source::ReadAt;

use super::event::IterateEvent;
use super::reduce::{Stream, StreamProblemKind};
use super::{messages, parse};

/// A stream's reduction, and its newest event.
#[derive(Default)]
pub struct IterateTracker {
    pub stream: Stream,
    pub event: Option<IterateEvent>,
}

impl RequestTracker for IterateTracker {
    fn track(&mut self, record: &Record<'_>) -> RecordClass {
        self.event = None;
        parse::read(record, self);
        match self.stream.last_problem() {
            Some(StreamProblemKind::Order | StreamProblemKind::NoOffset) => RecordClass::Disorder,
            _ if self.event.is_some() => RecordClass::Event,
            _ => RecordClass::Other,
        }
    }

    fn repeat(&self) -> Option<RepeatedMessages> {
        let event = self.event.as_ref()?;
        let request = event.request.or(event.offset).filter(|at| self.stream.request_context(*at).is_some());
        Some(RepeatedMessages { at: event.body?.at, request, context: self.stream.sent_context(event) })
    }

    fn request(&self, offset: u64) -> Option<Context> {
        let event = self.event.as_ref().filter(|event| event.request.or(event.offset) == Some(offset));
        event.and_then(|_| self.stream.request_context(offset))
    }

    fn divergence(&self, context: Context, bytes: &dyn ReadAt, list: Val<'_>, from: u32) -> Option<Divergence> {
        messages::first_divergence(bytes, &self.stream, context, list, from)
    }

    fn messages(&self, context: Context, bytes: &dyn ReadAt, from: u32) -> Vec<Vec<u8>> {
        messages::messages(bytes, &self.stream, context, from)
    }
}

impl Sink for IterateTracker {
    fn item(&mut self, item: Item<'_>) {
        self.stream.add_rows(&[item.row]);
    }

    fn mark(&mut self, mark: Mark) {
        if let Mark::Custom(event) = mark
            && let Ok(event) = event.any().downcast::<IterateEvent>()
        {
            self.stream.apply(&event);
            self.event = Some(*event);
        }
    }

    fn report(&mut self, _: Finding) {}

    fn newest_first(&self) -> Option<bool> {
        None
    }
}
