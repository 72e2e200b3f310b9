//! Places in bytes, and edits on them. This module knows nothing of JSON or conversations: a place is a run of
//! bytes in a numbered doc, a patch is a set of replacements over the *original* bytes. Everything above refers to
//! places, so that findings can be shown, and edits leave every other byte as it was.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Number of a doc within one run: a file, standard input, later a cell of a database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct DocId(pub u32);

/// A run of bytes in a doc: `start` is absolute, `len` may be zero (an insertion point).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place {
    pub doc: DocId,
    pub len: u32,
    pub start: u64,
}

impl Place {
    pub fn new(doc: DocId, start: u64, len: u32) -> Self {
        Place { doc, len, start }
    }

    /// Offset of the first byte after the place.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// The key by which everything is printed: doc, then start, then length.
    pub fn order(&self) -> (DocId, u64, u32) {
        (self.doc, self.start, self.len)
    }

    pub fn contains(&self, other: &Place) -> bool {
        self.doc == other.doc && self.start <= other.start && other.end() <= self.end()
    }

    /// True if both have a byte in common.
    pub fn overlaps(&self, other: &Place) -> bool {
        self.doc == other.doc && self.start < other.end() && other.start < self.end()
    }
}

/// One piece of replacement text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplacementPart {
    /// Shared by a patch and the views of the text with it.
    Text(Arc<[u8]>),
    /// A copy of bytes of the doc, which are never loaded as a whole.
    Copy(Place),
}

impl ReplacementPart {
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        ReplacementPart::Text(text.into().into())
    }

    /// Length of the piece in bytes.
    pub fn len(&self) -> u64 {
        match self {
            ReplacementPart::Text(text) => text.len() as u64,
            ReplacementPart::Copy(place) => u64::from(place.len),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Replaces the bytes at a place by the parts, in order. Without parts the bytes are removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub at: Place,
    pub with: Vec<ReplacementPart>,
}

impl Edit {
    pub fn remove(at: Place) -> Self {
        Edit { at, with: Vec::new() }
    }

    pub fn replace(at: Place, text: impl Into<Vec<u8>>) -> Self {
        Edit { at, with: vec![ReplacementPart::text(text)] }
    }
}

/// Edits by doc, over the original bytes, sorted by start and free of overlaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    docs: BTreeMap<DocId, Vec<Edit>>,
}

impl Patch {
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// The docs that the patch touches.
    pub fn docs(&self) -> impl Iterator<Item = DocId> + '_ {
        self.docs.keys().copied()
    }

    /// The edits of a doc, by start.
    pub fn edits(&self, doc: DocId) -> &[Edit] {
        self.docs.get(&doc).map_or(&[], Vec::as_slice)
    }

    /// The text of a doc with the edits made.
    pub fn apply(&self, doc: DocId, text: &[u8]) -> Vec<u8> {
        let pieces = Pieces::new(self.edits(doc), doc, text.len() as u64);
        let mut out = Vec::with_capacity(text.len());
        // The closure cannot fail.
        let _: Result<(), std::convert::Infallible> = pieces.walk(0, pieces.len(), |piece| {
            match piece {
                ReplacementPart::Text(new) => out.extend_from_slice(new),
                ReplacementPart::Copy(at) => {
                    out.extend_from_slice(text.get(at.start as usize..at.end() as usize).unwrap_or_default());
                }
            }
            Ok(())
        });
        out
    }

    /// Adds edits. One that overlaps an existing edit is left out and returned, so that the caller can try it in
    /// the next round; two insertions at one point keep their order of arrival.
    pub fn add(&mut self, edits: impl IntoIterator<Item = Edit>) -> Vec<Edit> {
        let mut edits = edits.into_iter().peekable();
        if edits.peek().is_none() {
            return Vec::new();
        }
        // By place, then by arrival: in a list, each edit that comes late would move those after it.
        let known = std::mem::take(&mut self.docs).into_values().flatten();
        let mut all: BTreeMap<((DocId, u64, u32), usize), Edit> =
            known.enumerate().map(|(n, edit)| ((edit.at.order(), n), edit)).collect();
        let mut refused = Vec::new();
        for (n, edit) in (all.len()..).zip(edits) {
            let key = (edit.at.order(), n);
            let before = all.range(..key).next_back().map(|(_, before)| before.at);
            let after = all.range(key..).next().map(|(_, after)| after.at);
            let is_free = before.is_none_or(|before| before.doc < edit.at.doc || before.end() <= edit.at.start)
                && after.is_none_or(|after| after.doc > edit.at.doc || edit.at.end() <= after.start);
            match is_free {
                true => drop(all.insert(key, edit)),
                false => refused.push(edit),
            }
        }
        for edit in all.into_values() {
            self.docs.entry(edit.at.doc).or_default().push(edit);
        }
        refused
    }

    /// Composes two patches: `later` is over the result of this patch on docs of the given lengths; the
    /// composition is over the original bytes.
    pub fn then(&self, later: &Patch, length: impl Fn(DocId) -> u64) -> Patch {
        let mut docs = self.docs.clone();
        for doc in later.docs() {
            let first = Pieces::new(self.edits(doc), doc, length(doc));
            let second = Pieces::new(later.edits(doc), doc, first.len());
            let mut flat = Vec::new();
            for piece in second.list {
                match piece.content {
                    ReplacementPart::Text(text) => flat.push((ReplacementPart::Text(text), false)),
                    ReplacementPart::Copy(place) => {
                        // Bytes that the later patch copies to another place are not kept by either.
                        let kept = piece.edit.is_none();
                        let parts = first.slice(place.start, place.end());
                        flat.extend(parts.map(|(part, was_kept)| (part, was_kept && kept)));
                    }
                }
            }
            docs.insert(doc, edits_between(flat, doc, length(doc)));
        }
        docs.retain(|_, list| !list.is_empty());
        Patch { docs }
    }
}

/// Turns a sequence of pieces back into edits: kept runs are in their old order; everything between them is
/// replaced.
fn edits_between(pieces: Vec<(ReplacementPart, bool)>, doc: DocId, len: u64) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = 0u64;
    let mut with: Vec<ReplacementPart> = Vec::new();
    let mut flush = |at: u64, to: u64, with: &mut Vec<ReplacementPart>| {
        if to > at || !with.is_empty() {
            let mut start = at;
            let mut rest = to - at;
            // A removal of more than 4 GiB is several edits; the text goes with the first.
            loop {
                let len = u32::try_from(rest).unwrap_or(u32::MAX);
                edits.push(Edit { at: Place::new(doc, start, len), with: std::mem::take(with) });
                start += u64::from(len);
                rest -= u64::from(len);
                if rest == 0 {
                    break;
                }
            }
        }
    };
    for (piece, kept) in pieces {
        match piece {
            ReplacementPart::Copy(place) if kept => {
                flush(at, place.start, &mut with);
                at = place.end();
            }
            piece => with.push(piece),
        }
    }
    flush(at, len, &mut with);
    edits
}

/// The patched bytes of a doc as a sequence of pieces, addressable by offsets in the result.
#[derive(Clone, Debug)]
pub struct Pieces {
    list: Vec<PatchPiece>,
    len: u64,
    /// True if there are no edits.
    whole: bool,
}

/// A range of bytes that a patch keeps.
#[derive(Clone, Copy, Debug)]
pub struct UnchangedRange {
    /// Offset in the original bytes.
    pub from: u64,
    /// Offset in the patched bytes.
    pub to: u64,
    pub len: u64,
}

#[derive(Clone, Debug)]
struct PatchPiece {
    /// Offset in the patched bytes.
    start: u64,
    content: ReplacementPart,
    /// The edit that put the piece there; `None` for bytes that are kept.
    edit: Option<Place>,
}

impl Pieces {
    /// `edits` as [`Patch::edits`] gives them, over a doc of `len` bytes.
    pub fn new(edits: &[Edit], doc: DocId, len: u64) -> Self {
        let parts: usize = edits.iter().map(|edit| edit.with.len() + 1).sum();
        let list = Vec::with_capacity(parts + 1);
        let mut pieces = Pieces { list, len: 0, whole: edits.is_empty() };
        let mut at = 0u64;
        for edit in edits {
            pieces.push_kept(doc, at, edit.at.start);
            for with in &edit.with {
                pieces.push(with.clone(), Some(edit.at));
            }
            at = edit.at.end();
        }
        pieces.push_kept(doc, at, len);
        pieces
    }

    /// Ranges of a doc, in order, without the bytes between them.
    pub fn of(doc: DocId, stretches: impl Iterator<Item = Range<u64>>) -> Self {
        let mut pieces = Pieces { list: Vec::new(), len: 0, whole: false };
        for stretch in stretches {
            pieces.push_kept(doc, stretch.start, stretch.end);
        }
        pieces
    }

    fn push_kept(&mut self, doc: DocId, mut from: u64, to: u64) {
        while from < to {
            let len = u32::try_from(to - from).unwrap_or(u32::MAX);
            self.push(ReplacementPart::Copy(Place::new(doc, from, len)), None);
            from += u64::from(len);
        }
    }

    fn push(&mut self, content: ReplacementPart, edit: Option<Place>) {
        if content.is_empty() {
            return;
        }
        let len = content.len();
        self.list.push(PatchPiece { start: self.len, content, edit });
        self.len += len;
    }

    /// The kept ranges, in order, with their offsets in the original and in the patched bytes.
    pub fn unchanged(&self) -> impl Iterator<Item = UnchangedRange> + '_ {
        self.list.iter().filter(|piece| piece.edit.is_none()).filter_map(|piece| match &piece.content {
            ReplacementPart::Copy(from) => {
                Some(UnchangedRange { from: from.start, to: piece.start, len: u64::from(from.len) })
            }
            ReplacementPart::Text(_) => None,
        })
    }

    /// True if there are no edits.
    pub fn is_unchanged(&self) -> bool {
        self.whole
    }

    /// Length of the patched bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn find(&self, offset: u64) -> usize {
        self.list.partition_point(|piece| piece.start <= offset).saturating_sub(1)
    }

    /// The pieces that make up `from..to` of the patched bytes, and whether each is kept from the original.
    fn slice(&self, from: u64, to: u64) -> impl Iterator<Item = (ReplacementPart, bool)> + '_ {
        let pieces = self.list.iter().skip(self.find(from)).take_while(move |piece| piece.start < to);
        pieces.filter_map(move |piece| {
            let skip = from.saturating_sub(piece.start);
            let end = piece.content.len().min(to - piece.start);
            let part = match &piece.content {
                _ if skip >= end => return None,
                whole if end - skip == whole.len() => whole.clone(),
                ReplacementPart::Text(text) => {
                    ReplacementPart::text(text.get(skip as usize..end as usize).unwrap_or_default())
                }
                ReplacementPart::Copy(place) => {
                    ReplacementPart::Copy(Place::new(place.doc, place.start + skip, (end - skip) as u32))
                }
            };
            Some((part, piece.edit.is_none()))
        })
    }

    /// Calls `each` with the pieces that make up `from..to` of the patched bytes, in order.
    pub fn walk<E>(
        &self,
        from: u64,
        to: u64,
        mut each: impl FnMut(&ReplacementPart) -> Result<(), E>,
    ) -> Result<(), E> {
        self.slice(from, to).try_for_each(|(piece, _)| each(&piece))
    }

    /// The original end of the bytes before an offset of the patched ones.
    fn original_end(&self, offset: u64) -> Option<u64> {
        let last = offset.checked_sub(1)?;
        let piece = self.list.get(self.find(last))?;
        match (&piece.content, piece.edit) {
            (ReplacementPart::Copy(from), None) => Some(from.start + (last - piece.start) + 1),
            (_, edit) => edit.map(|edit| edit.end()),
        }
    }

    /// The original place of a place in the patched bytes: of the same bytes if they are kept or moved, else of the
    /// edit that inserted them.
    pub fn original(&self, place: Place) -> Place {
        let Some(piece) = self.list.get(self.find(place.start)) else { return place };
        match (&piece.content, piece.edit) {
            (ReplacementPart::Copy(from), None) => {
                let start = from.start + (place.start - piece.start);
                // Edits within it may have changed its length.
                let end = self.original_end(place.end()).filter(|end| *end >= start);
                let len = end.map_or(place.len, |end| u32::try_from(end - start).unwrap_or(u32::MAX));
                Place::new(place.doc, start, if place.len == 0 { 0 } else { len })
            }
            // Moved bytes are those that they were copied from.
            (ReplacementPart::Copy(from), Some(_)) => {
                Place { start: from.start + (place.start - piece.start), ..place }
            }
            (ReplacementPart::Text(_), Some(edit)) => edit,
            (ReplacementPart::Text(_), None) => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOC: DocId = DocId(0);

    fn place(start: u64, len: u32) -> Place {
        Place::new(DOC, start, len)
    }

    fn apply(patch: &Patch, text: &str) -> String {
        String::from_utf8(patch.apply(DOC, text.as_bytes())).expect("UTF-8")
    }

    #[test]
    fn overlapping_edits_are_refused_and_adjacent_ones_are_not() {
        let mut patch = Patch::default();
        assert!(patch.add([Edit::remove(place(2, 3)), Edit::replace(place(5, 1), "x")]).is_empty());
        assert_eq!(patch.add([Edit::remove(place(4, 2))]).len(), 1);
        assert_eq!(apply(&patch, "abcdefgh"), "abxgh");
    }

    #[test]
    fn many_edits_at_once_give_what_they_give_one_by_one() {
        // In no order, and some of them overlap.
        let edit = |n: u64| Edit::replace(place(n * 7919 % 500, (n % 4) as u32), n.to_string());
        let edits: Vec<Edit> = (0..200).map(edit).collect();
        let (mut one_by_one, mut at_once) = (Patch::default(), Patch::default());
        let refused: Vec<Edit> = edits.iter().flat_map(|edit| one_by_one.add([edit.clone()])).collect();
        assert!(refused.len() > 20 && refused.len() < 180);
        let (first, rest) = edits.split_at(40);
        let all: Vec<Edit> = at_once.add(first.to_vec()).into_iter().chain(at_once.add(rest.to_vec())).collect();
        assert_eq!((at_once, all), (one_by_one, refused));
    }

    #[test]
    fn insertions_at_one_point_keep_their_order() {
        let mut patch = Patch::default();
        assert!(patch.add([Edit::replace(place(1, 0), "1"), Edit::replace(place(1, 0), "2")]).is_empty());
        assert_eq!(apply(&patch, "ab"), "a12b");
    }

    #[test]
    fn a_composed_patch_gives_what_two_give_one_after_the_other() {
        let text = "0123456789";
        let mut first = Patch::default();
        first.add([
            Edit { at: place(1, 2), with: vec![ReplacementPart::Copy(place(7, 2)), ReplacementPart::text("X")] },
            Edit::remove(place(7, 2)),
        ]);
        let once = apply(&first, text);
        assert_eq!(once, "078X34569");
        let mut second = Patch::default();
        second.add([Edit::remove(place(1, 1)), Edit::replace(place(8, 1), "nine")]);
        let both = first.then(&second, |_| text.len() as u64);
        assert_eq!(apply(&both, text), apply(&second, &once));
        assert_eq!(apply(&both, text), "08X3456nine");
    }

    #[test]
    fn what_a_patch_keeps_stays_in_place_when_another_follows() {
        let mut patch = Patch::default();
        patch.add([
            Edit { at: place(0, 0), with: vec![ReplacementPart::Copy(place(8, 2))] },
            Edit::remove(place(8, 2)),
        ]);
        let same = patch.then(&Patch::default(), |_| 10);
        assert_eq!(same, patch);
        let mut again = Patch::default();
        again.add([Edit::remove(place(9, 1))]);
        let both = patch.then(&again, |_| 10);
        assert_eq!(apply(&both, "0123456789"), "890123456");
        assert_eq!(both.edits(DOC).len(), 2);
    }

    #[test]
    fn stretches_are_put_one_after_the_other() {
        let pieces = Pieces::of(DOC, [2..4, 4..5, 7..9].into_iter());
        let kept: Vec<(u64, u64)> = pieces.unchanged().map(|kept| (kept.from, kept.to)).collect();
        assert_eq!((pieces.len(), kept), (5, vec![(2, 0), (4, 2), (7, 3)]));
    }

    #[test]
    fn places_of_the_result_lead_back() {
        let mut patch = Patch::default();
        patch.add([Edit::replace(place(2, 1), "abc")]);
        let pieces = Pieces::new(patch.edits(DOC), DOC, 6);
        assert_eq!(pieces.original(place(0, 2)), place(0, 2));
        assert_eq!(pieces.original(place(3, 1)), place(2, 1));
        assert_eq!(pieces.original(place(5, 1)), place(3, 1));
        assert_eq!(pieces.original(place(1, 5)), place(1, 3));
        assert_eq!(pieces.original(place(1, 3)), place(1, 2));

        // Bytes that are moved lead to where they were.
        let mut patch = Patch::default();
        let with = vec![ReplacementPart::text("x"), ReplacementPart::Copy(place(4, 2))];
        patch.add([Edit { at: place(0, 0), with }, Edit::remove(place(4, 2))]);
        let pieces = Pieces::new(patch.edits(DOC), DOC, 8);
        assert_eq!([0, 1, 2, 3, 7].map(|at| pieces.original(place(at, 1)).start), [0, 4, 5, 0, 6]);
    }
}
