//! Text synthesised from a doc, such as the message that the events of a stream merge into. Its places are after
//! the doc's last byte, so that they are read as any others are; the text is in memory and records where in the
//! doc each of its spans came from.

use std::sync::OnceLock;

use crate::json::provenance::{Provenance, ProvenanceSpan, TracedText};
use crate::place::Place;
use crate::source::Container;

/// Synthetic text and the offset at which it begins.
pub struct SyntheticText {
    start: u64,
    container: Container,
    written: TracedText,
    /// Computed by [`SyntheticText::copied_places`].
    said: OnceLock<Vec<(Place, u64)>>,
}

impl SyntheticText {
    /// Text after a doc of `len` bytes. It starts one byte later, because the doc's end is itself a place (where a
    /// truncated doc is cut off).
    pub fn new(len: u64, container: Container, written: TracedText) -> SyntheticText {
        SyntheticText { start: len + 1, container, written, said: OnceLock::new() }
    }

    /// The framing of the records that it was made from.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The origins of its spans, in order.
    pub fn spans(&self) -> &[ProvenanceSpan] {
        &self.written.spans
    }

    /// Each place of the doc that the text copies or respells, with its offset in the text; sorted by place.
    pub fn copied_places(&self) -> &[(Place, u64)] {
        self.said.get_or_init(|| {
            let said = self.spans().iter().filter(|span| span.is_traced());
            let mut said: Vec<(Place, u64)> = said.map(|span| (span.from, self.start + span.at)).collect();
            said.sort_unstable_by_key(|(from, at)| (from.start, from.len, *at));
            said
        })
    }

    pub fn text(&self) -> &[u8] {
        &self.written.text
    }

    /// Offset of the first byte.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The place in the doc that a place came from: itself, unless it is in the synthetic text.
    fn origin(&self, at: Place) -> Place {
        let Some(offset) = at.start.checked_sub(self.start) else { return at };
        let spans = &self.written.spans;
        let ix = spans.partition_point(|span| span.at <= offset).saturating_sub(1);
        let Some(ProvenanceSpan { at: begins, from, provenance }) = spans.get(ix).copied() else { return at };
        if provenance != Provenance::Copied {
            return from;
        }
        let skip = u32::try_from(offset.saturating_sub(begins)).unwrap_or(u32::MAX);
        let skip = skip.min(from.len.saturating_sub(1));
        Place { start: from.start + u64::from(skip), len: at.len.min(from.len - skip), ..from }
    }

    /// Reads up to the end of the text.
    fn read_at(&self, start: u64, buf: &mut [u8]) -> usize {
        let from = usize::try_from(start - self.start).unwrap_or(usize::MAX);
        let rest = self.text().get(from..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf.split_at_mut(n).0.copy_from_slice(rest.split_at(n).0);
        n
    }
}

/// A write-once slot for the synthetic text of a doc.
#[derive(Default)]
pub struct SyntheticSlot(OnceLock<SyntheticText>);

impl SyntheticSlot {
    /// Stores a text unless there is one, and returns the stored one.
    pub fn set(&self, made: SyntheticText) -> &SyntheticText {
        self.0.get_or_init(|| made)
    }

    /// The stored text, if any.
    pub fn get(&self) -> Option<&SyntheticText> {
        self.0.get()
    }

    /// The place in the doc that a place came from.
    pub fn origin(&self, at: Place) -> Place {
        self.0.get().map_or(at, |made| made.origin(at))
    }

    /// Reads from the text; `None` if the offset is before it.
    pub fn read_at(&self, start: u64, buf: &mut [u8]) -> Option<usize> {
        let made = self.0.get().filter(|made| start >= made.start)?;
        Some(made.read_at(start, buf))
    }
}
