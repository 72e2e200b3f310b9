//! Following a stream for its requests: the events go into the reduction as they come.

use crate::dialect::Item;
use crate::format::requests::{Context, Divergence, Follow, Repeat, Taken};
use crate::format::{Mark, Record, Sink};
use crate::history::Finding;
use crate::json::Val;
use crate::source::ReadAt;

use super::event::Event;
use super::reduce::{Misfit, Stream};
use super::{messages, parse};

/// Feeds a stream, and keeps the event that came last.
#[derive(Default)]
pub struct Feed {
    pub stream: Stream,
    pub event: Option<Event>,
}

impl Follow for Feed {
    fn take(&mut self, record: &Record<'_>) -> Taken {
        self.event = None;
        parse::read(record, self);
        match self.stream.last_problem() {
            Some(Misfit::Order | Misfit::NoOffset) => Taken::Disorder,
            _ if self.event.is_some() => Taken::Event,
            _ => Taken::Other,
        }
    }

    fn repeat(&self) -> Option<Repeat> {
        let event = self.event.as_ref()?;
        let request = event.request.or(event.offset).filter(|at| self.stream.at_request(*at).is_some());
        Some(Repeat { at: event.body?.at, request, context: self.stream.sent(event) })
    }

    fn request(&self, offset: u64) -> Option<Context> {
        let event = self.event.as_ref().filter(|event| event.request.or(event.offset) == Some(offset));
        event.and_then(|_| self.stream.at_request(offset))
    }

    fn divergence(&self, context: Context, bytes: &dyn ReadAt, list: Val<'_>, from: u32) -> Option<Divergence> {
        messages::first_divergence(bytes, &self.stream, context, list, from)
    }

    fn messages(&self, context: Context, bytes: &dyn ReadAt, from: u32) -> Vec<Vec<u8>> {
        messages::messages(bytes, &self.stream, context, from)
    }
}

impl Sink for Feed {
    fn item(&mut self, item: Item<'_>) {
        self.stream.take_rows(&[item.row]);
    }

    fn mark(&mut self, mark: Mark) {
        if let Mark::Own(event) = mark
            && let Ok(event) = event.any().downcast::<Event>()
        {
            self.stream.take(&event);
            self.event = Some(*event);
        }
    }

    fn find(&mut self, _: Finding) {}

    fn newest_first(&self) -> Option<bool> {
        None
    }
}
