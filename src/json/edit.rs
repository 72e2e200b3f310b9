//! Edits on the elements of an array and the members of an object. Every byte that is not named remains:
//! whitespace, number text, escapes, key order. An entry is removed with one comma, and added with one in the
//! style of its neighbours.

use crate::place::{DocId, Edit, Place, ReplacementPart};

use super::string::{Decoder, Str};
use super::tape::Val;

/// An entry of an edited sequence: an old one by its index, in the old order, or a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SequenceSlot {
    Keep(u32),
    New(Vec<ReplacementPart>),
}

/// The position of a record in its doc.
#[derive(Clone, Copy, Debug)]
pub struct RecordBase<'b> {
    doc: DocId,
    start: u64,
    /// For a record from which long arrays were left out: (offset in the record, offset in the doc) of each run.
    runs: &'b [(u32, u64)],
    /// Set for text that is not in the doc: the place that it was made from.
    synthetic_from: Option<Place>,
}

impl<'b> RecordBase<'b> {
    /// A record that is contiguous in the doc.
    pub fn new(doc: DocId, start: u64) -> Self {
        RecordBase { doc, start, runs: &[], synthetic_from: None }
    }

    /// A record made of runs of bytes of the doc, in order.
    pub fn of_runs(doc: DocId, runs: &'b [(u32, u64)]) -> Self {
        RecordBase { doc, start: runs.first().map_or(0, |run| run.1), runs, synthetic_from: None }
    }

    /// Text that is not in the doc but was made from `place`: everything in it is reported there.
    pub fn synthetic_from(place: Place) -> Self {
        RecordBase { synthetic_from: Some(place), ..RecordBase::new(place.doc, place.start) }
    }

    pub fn doc(&self) -> DocId {
        self.doc
    }

    /// True if the record is contiguous in the doc.
    pub fn is_linear(&self) -> bool {
        self.runs.is_empty() && self.synthetic_from.is_none()
    }

    /// The offset in the doc of an offset in the record.
    pub fn offset(&self, at: u32) -> u64 {
        let run = self.runs.partition_point(|(from, _)| *from <= at).checked_sub(1);
        match run.and_then(|ix| self.runs.get(ix)) {
            Some((from, start)) => start + u64::from(at - from),
            None => self.start + u64::from(at),
        }
    }

    /// The offset in the record of an offset in the doc; `None` if the record does not contain that byte.
    pub fn relative(&self, offset: u64) -> Option<u32> {
        if self.runs.is_empty() {
            return offset.checked_sub(self.start).and_then(|n| u32::try_from(n).ok());
        }
        let ix = self.runs.partition_point(|(_, at)| *at <= offset).checked_sub(1)?;
        let (from, start) = self.runs.get(ix)?;
        let relative = u64::from(*from) + (offset - start);
        let next = self.runs.get(ix + 1).map_or(u64::MAX, |run| u64::from(run.0));
        (relative < next).then_some(relative as u32)
    }

    /// The place of a span of the record.
    pub fn place(&self, start: u32, end: u32) -> Place {
        if let Some(place) = self.synthetic_from {
            return place;
        }
        if self.runs.is_empty() {
            return Place::new(self.doc, self.start + u64::from(start), end - start.min(end));
        }
        let from = self.offset(start);
        // The end is one after the last byte, so that a span that ends with a run remains in it.
        let to = if end > start { self.offset(end - 1) + 1 } else { from };
        // Runs that were joined in another order than in the doc have no single place.
        Place::new(self.doc, from, u32::try_from(to.saturating_sub(from)).unwrap_or(u32::MAX))
    }

    /// The runs of a decoded string: (offset in the text, offset in the doc).
    pub fn runs_within(&self, val: Val<'_>) -> Vec<(u32, u64)> {
        let mut runs: Vec<(u32, u64)> = Vec::new();
        let Some(text) = val.as_str() else { return runs };
        let mut decoder = Decoder::new(text.raw);
        let (mut decoded, mut next) = (0u32, None);
        loop {
            let at = val.start() + 1 + decoder.offset() as u32;
            let Some(part) = decoder.next_part() else { break };
            let len = part.as_bytes().len() as u32;
            // A part may span several runs of the record.
            let first = self.runs.partition_point(|(from, _)| *from <= at);
            let own = self.runs.iter().skip(first).map(|(from, _)| *from).take_while(|from| *from < at + len);
            let starts = std::iter::once(at).chain(own);
            for start in starts {
                let offset = self.offset(start);
                if next != Some(offset) {
                    runs.push((decoded + (start - at), offset));
                }
                next = None;
            }
            let end = val.start() + 1 + decoder.offset() as u32;
            next = (end - at == len).then(|| self.offset(end - 1) + 1);
            decoded += len;
        }
        runs
    }

    /// The place of a value.
    pub fn of(&self, val: Val<'_>) -> Place {
        self.place(val.start(), val.end())
    }
}

/// The value to edit has the wrong kind. Nothing was edited: members in a number, or elements in a string, would
/// break the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WrongKind {
    NotAnObject,
    NotAList,
}

impl WrongKind {
    /// Why the edit was refused.
    pub fn reason(self) -> &'static str {
        match self {
            WrongKind::NotAnObject => "the value to change is not an object",
            WrongKind::NotAList => "the value to change is not a list",
        }
    }
}

/// Removes the members with these keys from an object.
pub fn remove_members(
    object: Val<'_>,
    keys: &[&str],
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), WrongKind> {
    let sequence = Sequence::of_object(object, base)?;
    let goes = |key: Str<'_>| keys.iter().any(|name| key.is(name.as_bytes()));
    let kept = object.members().zip(0..).filter(|(member, _)| !goes(member.key));
    sequence.edit(kept.map(|(_, n)| SequenceSlot::Keep(n)).collect(), out);
    Ok(())
}

/// Adds a member after the last one of an object. `text` is the key, the colon and the value.
pub fn add_member(
    object: Val<'_>,
    text: Vec<u8>,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), WrongKind> {
    Sequence::of_object(object, base)?.push(text, out);
    Ok(())
}

/// Adds an element after the last one of a list.
pub fn add_element(
    list: Val<'_>,
    text: Vec<u8>,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), WrongKind> {
    Sequence::of_list(list, base)?.push(text, out);
    Ok(())
}

/// The entries of an array (elements) or object (members) as ranges of the doc.
#[derive(Clone, Debug)]
pub struct Sequence {
    pub doc: DocId,
    /// From after the opening bracket to the closing one.
    pub inner: (u64, u64),
    /// Each entry: an element, or a member from its key to the end of its value.
    pub entries: Vec<(u64, u64)>,
    /// The white space between entries, taken from the first two.
    pub space: Box<[u8]>,
}

impl Sequence {
    /// The elements of a scanned list.
    pub fn of_list(list: Val<'_>, base: RecordBase<'_>) -> Result<Self, WrongKind> {
        if !list.is_array() {
            return Err(WrongKind::NotAList);
        }
        Ok(Sequence::of(list, list.elements().map(|e| (e.start(), e.end())).collect(), base))
    }

    /// The members of a scanned object.
    pub fn of_object(object: Val<'_>, base: RecordBase<'_>) -> Result<Self, WrongKind> {
        if !object.is_object() {
            return Err(WrongKind::NotAnObject);
        }
        Ok(Sequence::of(object, object.members().map(|m| (m.key_start, m.val.end())).collect(), base))
    }

    #[expect(clippy::indexing_slicing, reason = "members and elements come in order within their record")]
    fn of(container: Val<'_>, spans: Vec<(u32, u32)>, base: RecordBase<'_>) -> Self {
        let bytes = container.record();
        let before = match spans.as_slice() {
            [first, second, ..] => &bytes[first.1 as usize..second.0 as usize],
            [only] => &bytes[container.start() as usize + 1..only.0 as usize],
            [] => &[],
        };
        Sequence {
            doc: base.doc(),
            inner: (base.offset(container.start()) + 1, base.offset(container.end() - 1)),
            entries: spans.iter().map(|s| base.place(s.0, s.1)).map(|at| (at.start, at.end())).collect(),
            space: before.iter().copied().filter(|b| *b != b',').collect(),
        }
    }

    /// Adds an entry after the last one.
    fn push(&self, text: Vec<u8>, out: &mut Vec<Edit>) {
        let mut slots: Vec<SequenceSlot> = (0..self.entries.len() as u32).map(SequenceSlot::Keep).collect();
        slots.push(SequenceSlot::New(vec![ReplacementPart::text(text)]));
        self.edit(slots, out);
    }

    /// Rewrites the sequence to consist of `slots`. Kept entries must be in their old order.
    #[expect(clippy::indexing_slicing, reason = "slots keep entries by the numbers that they have here, in order")]
    pub fn edit(&self, slots: Vec<SequenceSlot>, out: &mut Vec<Edit>) {
        let mut kept_before: Option<usize> = None;
        let mut fresh: Vec<Vec<ReplacementPart>> = Vec::new();
        for slot in slots {
            let ix = match slot {
                SequenceSlot::New(with) => {
                    fresh.push(with);
                    continue;
                }
                SequenceSlot::Keep(ix) => ix as usize,
            };
            match kept_before {
                Some(before) if !fresh.is_empty() || ix > before + 1 => {
                    let with = self.entries_after(&mut fresh);
                    self.replace(self.entries[before].1, self.entries[ix - 1].1, with, out);
                }
                None if !fresh.is_empty() || ix > 0 => {
                    let with = self.entries_before(&mut fresh);
                    self.replace(self.entries[0].0, self.entries[ix].0, with, out);
                }
                _ => {}
            }
            kept_before = Some(ix);
        }
        match (kept_before, self.entries.first().zip(self.entries.last())) {
            (Some(before), Some((_, last))) => {
                if before + 1 < self.entries.len() || !fresh.is_empty() {
                    let with = self.entries_after(&mut fresh);
                    self.replace(self.entries[before].1, last.1, with, out);
                }
            }
            // No old entry remains: new ones, or an empty container.
            (None, Some((first, last))) if !fresh.is_empty() => {
                self.replace(first.0, last.1, self.new_entries(&mut fresh), out);
            }
            (_, None) if fresh.is_empty() => {}
            _ => self.replace(self.inner.0, self.inner.1, self.new_entries(&mut fresh), out),
        }
    }

    fn replace(&self, from: u64, to: u64, with: Vec<ReplacementPart>, out: &mut Vec<Edit>) {
        // One edit covers up to 4 GiB; the text goes with the first.
        let mut with = with;
        with.shrink_to_fit();
        let mut start = from;
        loop {
            let len = u32::try_from(to - start).unwrap_or(u32::MAX);
            out.push(Edit { at: Place::new(self.doc, start, len), with: std::mem::take(&mut with) });
            start += u64::from(len);
            if start >= to {
                break;
            }
        }
    }

    fn comma(&self) -> ReplacementPart {
        ReplacementPart::text([b",", &*self.space].concat())
    }

    /// New entries after a kept one.
    fn entries_after(&self, fresh: &mut Vec<Vec<ReplacementPart>>) -> Vec<ReplacementPart> {
        fresh.drain(..).flat_map(|with| std::iter::once(self.comma()).chain(with)).collect()
    }

    /// New entries before the first kept one.
    fn entries_before(&self, fresh: &mut Vec<Vec<ReplacementPart>>) -> Vec<ReplacementPart> {
        fresh.drain(..).flat_map(|with| with.into_iter().chain([self.comma()])).collect()
    }

    /// New entries, and no kept one.
    fn new_entries(&self, fresh: &mut Vec<Vec<ReplacementPart>>) -> Vec<ReplacementPart> {
        let mut with = self.entries_after(fresh);
        if !with.is_empty() {
            with.remove(0);
        }
        with
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tape, scan};
    use super::*;
    use crate::place::Patch;

    fn edited(text: &str, slots: &[SequenceSlot]) -> String {
        let mut tape = Tape::new();
        assert_eq!(scan(text.as_bytes(), &mut tape), Ok(()));
        let root = tape.root(text.as_bytes()).expect("scanned");
        let mut edits = Vec::new();
        let base = RecordBase::new(DocId(0), 0);
        let sequence =
            if root.is_object() { Sequence::of_object(root, base) } else { Sequence::of_list(root, base) };
        sequence.expect("a container").edit(slots.to_vec(), &mut edits);
        let mut patch = Patch::default();
        assert!(patch.add(edits).is_empty());
        String::from_utf8(patch.apply(DocId(0), text.as_bytes())).expect("UTF-8")
    }

    fn new(text: &str) -> SequenceSlot {
        SequenceSlot::New(vec![ReplacementPart::text(text)])
    }

    use SequenceSlot::Keep;

    #[test]
    fn removed_elements_go_with_one_comma() {
        let text = "[1, 2,\n3 ]";
        assert_eq!(edited(text, &[Keep(1), Keep(2)]), "[2,\n3 ]");
        assert_eq!(edited(text, &[Keep(0), Keep(2)]), "[1,\n3 ]");
        assert_eq!(edited(text, &[Keep(0), Keep(1)]), "[1, 2 ]");
        assert_eq!(edited(text, &[Keep(2)]), "[3 ]");
        assert_eq!(edited(text, &[]), "[]");
        assert_eq!(edited(text, &[Keep(0), Keep(1), Keep(2)]), text);
    }

    #[test]
    fn added_elements_take_the_style_of_their_neighbours() {
        let text = "[\n  1,\n  2\n]";
        assert_eq!(edited(text, &[Keep(0), new("9"), Keep(1)]), "[\n  1,\n  9,\n  2\n]");
        assert_eq!(edited(text, &[new("9"), Keep(0), Keep(1)]), "[\n  9,\n  1,\n  2\n]");
        assert_eq!(edited(text, &[Keep(0), Keep(1), new("8"), new("9")]), "[\n  1,\n  2,\n  8,\n  9\n]");
        assert_eq!(edited(text, &[Keep(0), new("9")]), "[\n  1,\n  9\n]");
        assert_eq!(edited(text, &[new("8"), new("9")]), "[\n  8,\n  9\n]");
        assert_eq!(edited("[]", &[new("8"), new("9")]), "[8,9]");
        assert_eq!(edited("[ 1]", &[Keep(0), new("2")]), "[ 1, 2]");
    }

    #[test]
    fn members_are_entries_too() {
        let text = r#"{"a":1,"b":2, "c":3}"#;
        assert_eq!(edited(text, &[Keep(0), Keep(2)]), r#"{"a":1, "c":3}"#);
        assert_eq!(edited(text, &[Keep(1), Keep(2), new(r#""d":4"#)]), r#"{"b":2, "c":3,"d":4}"#);
        assert_eq!(edited(text, &[]), "{}");
    }

    #[test]
    fn runs_lead_to_the_doc() {
        let runs = [(0, 100), (10, 5000)];
        let base = RecordBase::of_runs(DocId(0), &runs);
        assert_eq!(base.place(2, 10), Place::new(DocId(0), 102, 8));
        assert_eq!(base.place(10, 12), Place::new(DocId(0), 5000, 2));
    }

    #[test]
    fn a_value_of_another_kind_is_never_edited() {
        for text in ["7", "true", "null", "\"text\"", "[1]", "{\"a\":1}"] {
            let mut tape = Tape::new();
            assert_eq!(scan(text.as_bytes(), &mut tape), Ok(()));
            let root = tape.root(text.as_bytes()).expect("scanned");
            let (base, mut edits) = (RecordBase::new(DocId(0), 0), Vec::new());
            if !root.is_object() {
                assert_eq!(add_member(root, b"\"b\":2".to_vec(), base, &mut edits), Err(WrongKind::NotAnObject));
                assert_eq!(remove_members(root, &["a"], base, &mut edits), Err(WrongKind::NotAnObject));
            }
            if !root.is_array() {
                assert_eq!(add_element(root, b"2".to_vec(), base, &mut edits), Err(WrongKind::NotAList));
            }
            assert!(edits.is_empty(), "{text}");
        }
    }
}
