//! Text that was made of a doc, such as the message that the events of a stream add up to. It lies after the doc's last
//! byte, in memory, so that whoever has a place in it reads it as any other; and it knows where in the doc each of its
//! stretches came from.

use std::sync::OnceLock;

use crate::json::provenance::{Provenance, Span, Written};
use crate::place::Place;
use crate::source::Container;

/// The text, and where it begins.
pub struct Made {
    start: u64,
    container: Container,
    written: Written,
    /// What of the doc is said in it, by where that lies; once somebody asks.
    said: OnceLock<Vec<(Place, u64)>>,
}

impl Made {
    /// Text that lies after a doc of `len` bytes, whose end is a place of its own: what is cut off is cut off there.
    pub fn new(len: u64, container: Container, written: Written) -> Made {
        Made { start: len + 1, container, written, said: OnceLock::new() }
    }

    /// What the records lie in that it was made of.
    pub fn container(&self) -> Container {
        self.container
    }

    /// Where its stretches came from, in their order.
    pub fn spans(&self) -> &[Span] {
        &self.written.spans
    }

    /// Each place of the doc that is said in the text, with the offset where; sorted by place.
    pub fn said(&self) -> &[(Place, u64)] {
        self.said.get_or_init(|| {
            let said = self.spans().iter().filter(|span| span.is_said());
            let mut said: Vec<(Place, u64)> = said.map(|span| (span.from, self.start + span.at)).collect();
            said.sort_unstable_by_key(|(from, at)| (from.start, from.len, *at));
            said
        })
    }

    pub fn text(&self) -> &[u8] {
        &self.written.text
    }

    /// Where the text begins.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// What the doc holds at a place: for one in the made text, where it came from.
    fn origin(&self, at: Place) -> Place {
        let Some(offset) = at.start.checked_sub(self.start) else { return at };
        let spans = &self.written.spans;
        let ix = spans.partition_point(|span| span.at <= offset).saturating_sub(1);
        let Some(Span { at: begins, from, provenance }) = spans.get(ix).copied() else { return at };
        if provenance != Provenance::Copied {
            return from;
        }
        let skip = u32::try_from(offset.saturating_sub(begins)).unwrap_or(u32::MAX);
        let skip = skip.min(from.len.saturating_sub(1));
        Place { start: from.start + u64::from(skip), len: at.len.min(from.len - skip), ..from }
    }

    /// Reads as much of the text as there is.
    fn read_at(&self, start: u64, buf: &mut [u8]) -> usize {
        let from = usize::try_from(start - self.start).unwrap_or(usize::MAX);
        let rest = self.text().get(from..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf.split_at_mut(n).0.copy_from_slice(rest.split_at(n).0);
        n
    }
}

/// Where the text that is made of a doc is kept, once it is made.
#[derive(Default)]
pub struct Room(OnceLock<Made>);

impl Room {
    /// Keeps a text, unless there is one.
    pub fn keep(&self, made: Made) -> &Made {
        self.0.get_or_init(|| made)
    }

    /// The text, once it is made.
    pub fn made(&self) -> Option<&Made> {
        self.0.get()
    }

    /// Where a place came from.
    pub fn origin(&self, at: Place) -> Place {
        self.0.get().map_or(at, |made| made.origin(at))
    }

    /// Reads from the text; `None` if the offset lies before it.
    pub fn read_at(&self, start: u64, buf: &mut [u8]) -> Option<usize> {
        let made = self.0.get().filter(|made| start >= made.start)?;
        Some(made.read_at(start, buf))
    }
}
