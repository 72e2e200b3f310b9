//! Maps the synthetic text of a store back to the store: which bytes of the store are sent in it, and which of
//! them an edit on it would change.

use std::cmp::Reverse;

use crate::dialect::EditRefusal;
use crate::json::provenance::{Provenance, ProvenanceSpan};
use crate::place::{Edit, Place, ReplacementPart};
use crate::source::SyntheticText;

/// Maps places of the synthetic text of a store to the store.
pub(in crate::repair) struct OriginMap<'m> {
    synthetic: &'m SyntheticText,
}

/// Removed stretches of the synthetic text, in order.
pub(in crate::repair) type RemovedRanges = [(u64, u64)];

/// An edit on the store.
pub(in crate::repair) enum OriginEdit {
    Replace(Edit),
    /// The content of this stretch of the synthetic text is removed.
    Remove(u64, u64),
}

const NOT_LITERAL: EditRefusal =
    EditRefusal("the store does not contain this text literally, so it cannot be changed");

impl<'m> OriginMap<'m> {
    pub fn new(synthetic: &'m SyntheticText) -> OriginMap<'m> {
        OriginMap { synthetic }
    }

    /// True if something of a place of the store is in the remaining synthetic text.
    pub fn keeps(&self, place: Place, gone: &RemovedRanges) -> bool {
        let copied = self.synthetic.copied_places();
        let from = copied.partition_point(|(own, _)| own.start < place.start);
        let inside = copied.iter().skip(from).take_while(|(own, _)| own.start < place.end());
        inside.into_iter().any(|(_, at)| {
            let ix = gone.partition_point(|(_, to)| to <= at);
            gone.get(ix).is_none_or(|(from, _)| at < from)
        })
    }

    /// The last place in the store that a stretch of the synthetic text was made from.
    pub fn last(&self, at: Place) -> Option<Place> {
        let traced = self.spans(at.start, at.end()).filter(|span| span.is_traced());
        traced.map(|span| span.from).max_by_key(|from| from.start)
    }

    /// The place of the store that a stretch of the synthetic text is attributed to as a whole.
    pub fn whole(&self, at: Place) -> Option<Place> {
        let named = |span: &&ProvenanceSpan| span.provenance == Provenance::Named && span.from.len > 0;
        let at_start = self.spans(at.start, at.start + 1).filter(named);
        at_start.last().map(|span| span.from)
    }

    /// The spans that begin in a stretch of the synthetic text.
    fn spans(&self, from: u64, to: u64) -> impl Iterator<Item = &ProvenanceSpan> {
        let (start, spans) = (self.synthetic.start(), self.synthetic.spans());
        let first = spans.partition_point(|span| start + span.at < from);
        spans.iter().skip(first).take_while(move |span| start + span.at < to)
    }

    fn span_at(&self, offset: u64) -> Option<ProvenanceSpan> {
        let spans = self.synthetic.spans();
        let ix = spans.partition_point(|span| span.at <= offset).checked_sub(1)?;
        spans.get(ix).copied()
    }

    /// The place of the store that contains the same bytes as a stretch of the synthetic text, if there is one.
    fn copied_place(&self, from: u64, to: u64) -> Option<Place> {
        let span = self.span_at(from)?;
        let inside = from - span.at;
        let len = to.checked_sub(from)?;
        let is_copy = span.provenance == Provenance::Copied && inside + len <= u64::from(span.from.len);
        is_copy.then(|| Place::new(span.from.doc, span.from.start + inside, len as u32))
    }

    fn text(&self, from: u64, to: u64) -> &[u8] {
        let range = usize::try_from(from).unwrap_or(usize::MAX)..usize::try_from(to).unwrap_or(usize::MAX);
        self.synthetic.text().get(range).unwrap_or_default()
    }

    /// Maps an edit on the synthetic text to the store.
    pub fn map(&self, edit: &Edit) -> Result<OriginEdit, EditRefusal> {
        let from = edit.at.start.checked_sub(self.synthetic.start()).ok_or(NOT_LITERAL)?;
        let to = from + u64::from(edit.at.len);
        let with = self.replacement_text(&edit.with);
        if let Some(at) = self.copied_place(from, to) {
            return Ok(OriginEdit::Replace(Edit { at, with: replacement(with) }));
        }
        // A whole string: its content is copied, its quotes are not.
        if let (Some(at), Some(new)) = (self.copied_string(from, to), unquoted(&with)) {
            return Ok(OriginEdit::Replace(Edit { at, with: replacement(new.to_vec()) }));
        }
        let is_gap = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        match with.iter().all(is_gap) && from < to {
            true => Ok(OriginEdit::Remove(self.synthetic.start() + from, self.synthetic.start() + to)),
            false => Err(NOT_LITERAL),
        }
    }

    /// The largest values of the store whose content is in a stretch of the synthetic text and nowhere in the
    /// rest.
    pub fn removable_values(&self, from: u64, to: u64, gone: &RemovedRanges) -> Result<Vec<Place>, EditRefusal> {
        let places = self.spans(from, to).map(|span| span.from).filter(|at| at.len > 0);
        let largest = outermost_places(places.filter(|at| !self.keeps(*at, gone)).collect());
        if largest.is_empty() { Err(NOT_LITERAL) } else { Ok(largest) }
    }

    fn copied_string(&self, from: u64, to: u64) -> Option<Place> {
        let is_string = self.text(from, from + 1) == b"\"" && to > from + 1 && self.text(to - 1, to) == b"\"";
        // An empty text has no bytes with an origin.
        (is_string && to > from + 2).then(|| self.copied_place(from + 1, to - 1)).flatten()
    }

    /// The place of the store with the text of a string of the synthetic text, or with the longest part of it.
    pub fn source_of_string(&self, at: Place) -> Option<Place> {
        let from = at.start.checked_sub(self.synthetic.start())?;
        let to = from + u64::from(at.len);
        let longest = || {
            let copied = self.spans(at.start, at.end()).filter(|span| span.provenance == Provenance::Copied);
            copied.max_by_key(|span| span.from.len).map(|span| span.from)
        };
        self.copied_place(from, to).or_else(|| self.copied_string(from, to)).or_else(longest)
    }

    /// A replacement as text, including what it copies from the synthetic text.
    fn replacement_text(&self, with: &[ReplacementPart]) -> Vec<u8> {
        let mut text = Vec::new();
        for with in with {
            match with {
                ReplacementPart::Text(own) => text.extend_from_slice(own),
                ReplacementPart::Copy(at) => {
                    let from = at.start.saturating_sub(self.synthetic.start());
                    text.extend_from_slice(self.text(from, from + u64::from(at.len)));
                }
            }
        }
        text
    }
}

/// Places without those inside of another one, in order.
pub(super) fn outermost_places(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_unstable_by_key(|at| (at.start, Reverse(at.len)));
    places.dedup_by(|inner, outer| outer.contains(inner));
    places
}

fn replacement(text: Vec<u8>) -> Vec<ReplacementPart> {
    if text.is_empty() { Vec::new() } else { vec![ReplacementPart::text(text)] }
}

/// The text between the quotes of a string.
fn unquoted(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"\"")?.strip_suffix(b"\"")
}
