//! Where the text came from that was made of a store, the other way round: what of the store is said in it, and which
//! bytes of the store an edit on it would change.

use std::cmp::Reverse;

use crate::dialect::Cannot;
use crate::json::provenance::{Provenance, Span};
use crate::place::{Edit, Place, With};
use crate::source::Made;

/// What was made, seen from where it came from.
pub(in crate::repair) struct Traced<'m> {
    made: &'m Made,
}

/// Stretches of the made text that go, in order.
pub(in crate::repair) type Gone = [(u64, u64)];

/// An edit on the store.
pub(in crate::repair) enum Mapped {
    Replace(Edit),
    /// What this stretch of the made text says goes.
    Remove(u64, u64),
}

const MADE_UP: Cannot = Cannot("the store does not say it in so many words, so there is nothing to change");

impl<'m> Traced<'m> {
    pub fn new(made: &'m Made) -> Traced<'m> {
        Traced { made }
    }

    /// Whether something of a place is said in what stays.
    pub fn keeps(&self, place: Place, gone: &Gone) -> bool {
        let said = self.made.said();
        let from = said.partition_point(|(own, _)| own.start < place.start);
        let inside = said.iter().skip(from).take_while(|(own, _)| own.start < place.end());
        inside.into_iter().any(|(_, at)| {
            let ix = gone.partition_point(|(_, to)| to <= at);
            gone.get(ix).is_none_or(|(from, _)| at < from)
        })
    }

    /// Where the last thing in the store lies that a stretch of the made text says.
    pub fn last(&self, at: Place) -> Option<Place> {
        let said = self.spans(at.start, at.end()).filter(|span| span.is_said());
        said.map(|span| span.from).max_by_key(|from| from.start)
    }

    /// The spans that begin in a stretch of the made text.
    fn spans(&self, from: u64, to: u64) -> impl Iterator<Item = &Span> {
        let (start, spans) = (self.made.start(), self.made.spans());
        let first = spans.partition_point(|span| start + span.at < from);
        spans.iter().skip(first).take_while(move |span| start + span.at < to)
    }

    fn span_at(&self, offset: u64) -> Option<Span> {
        let spans = self.made.spans();
        let ix = spans.partition_point(|span| span.at <= offset).checked_sub(1)?;
        spans.get(ix).copied()
    }

    /// The place of the store that holds the same bytes as a stretch of the made text, if one does.
    fn copied(&self, from: u64, to: u64) -> Option<Place> {
        let span = self.span_at(from)?;
        let inside = from - span.at;
        let len = to.checked_sub(from)?;
        let is_copy = span.provenance == Provenance::Copied && inside + len <= u64::from(span.from.len);
        is_copy.then(|| Place::new(span.from.doc, span.from.start + inside, len as u32))
    }

    fn text(&self, from: u64, to: u64) -> &[u8] {
        let range = usize::try_from(from).unwrap_or(usize::MAX)..usize::try_from(to).unwrap_or(usize::MAX);
        self.made.text().get(range).unwrap_or_default()
    }

    /// What an edit on the made text comes to in the store.
    pub fn map(&self, edit: &Edit) -> Result<Mapped, Cannot> {
        let from = edit.at.start.checked_sub(self.made.start()).ok_or(MADE_UP)?;
        let to = from + u64::from(edit.at.len);
        let with = self.plain(&edit.with);
        if let Some(at) = self.copied(from, to) {
            return Ok(Mapped::Replace(Edit { at, with: with_of(with) }));
        }
        // A string as a whole: what it spells is copied, its quotes are not.
        if let (Some(at), Some(new)) = (self.copied_string(from, to), unquoted(&with)) {
            return Ok(Mapped::Replace(Edit { at, with: with_of(new.to_vec()) }));
        }
        let is_gap = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        match with.iter().all(is_gap) && from < to {
            true => Ok(Mapped::Remove(self.made.start() + from, self.made.start() + to)),
            false => Err(MADE_UP),
        }
    }

    /// The values of the store that say what a stretch of the made text says, and nothing that stays: the largest ones.
    pub fn removed(&self, from: u64, to: u64, gone: &Gone) -> Result<Vec<Place>, Cannot> {
        let places = self.spans(from, to).map(|span| span.from).filter(|at| at.len > 0);
        let largest = largest(places.filter(|at| !self.keeps(*at, gone)).collect());
        if largest.is_empty() { Err(MADE_UP) } else { Ok(largest) }
    }

    fn copied_string(&self, from: u64, to: u64) -> Option<Place> {
        let is_string = self.text(from, from + 1) == b"\"" && to > from + 1 && self.text(to - 1, to) == b"\"";
        // An empty text has no bytes that could tell where it came from.
        (is_string && to > from + 2).then(|| self.copied(from + 1, to - 1)).flatten()
    }

    /// A replacement as text: what it copies of the made text is read.
    fn plain(&self, with: &[With]) -> Vec<u8> {
        let mut text = Vec::new();
        for with in with {
            match with {
                With::Text(own) => text.extend_from_slice(own),
                With::Copy(at) => {
                    let from = at.start.saturating_sub(self.made.start());
                    text.extend_from_slice(self.text(from, from + u64::from(at.len)));
                }
            }
        }
        text
    }
}

/// Places without those that lie in another one, in order.
pub(super) fn largest(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_unstable_by_key(|at| (at.start, Reverse(at.len)));
    places.dedup_by(|inner, outer| outer.contains(inner));
    places
}

fn with_of(text: Vec<u8>) -> Vec<With> {
    if text.is_empty() { Vec::new() } else { vec![With::text(text)] }
}

/// What is between the quotes of a string.
fn unquoted(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"\"")?.strip_suffix(b"\"")
}
