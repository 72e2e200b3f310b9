//! Edits on the elements of an array and the members of an object. Every byte that is not named stays: whitespace,
//! number text, escapes, key order. What is removed goes with one comma, what is added brings one in the style of
//! its neighbours.

use crate::place::{DocId, Edit, Place, With};

use super::tape::{NodeKind, Val};

/// What becomes of a sequence: old entries by their index, in their old order, and new ones between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    Keep(u32),
    New(Vec<With>),
}

/// Where the record that a value lies in stands in its doc.
#[derive(Clone, Copy, Debug)]
pub struct Base<'b> {
    doc: DocId,
    start: u64,
    /// For a record from which long arrays were left out: (offset in the record, offset in the doc) of each run.
    runs: &'b [(u32, u64)],
}

impl<'b> Base<'b> {
    /// A record whose bytes stand in the doc as they are.
    pub fn new(doc: DocId, start: u64) -> Self {
        Base { doc, start, runs: &[] }
    }

    /// A record made of runs of bytes of the doc, in order.
    pub fn of_runs(doc: DocId, runs: &'b [(u32, u64)]) -> Self {
        Base { doc, start: runs.first().map_or(0, |run| run.1), runs }
    }

    pub fn doc(&self) -> DocId {
        self.doc
    }

    /// The offset in the doc of an offset in the record.
    pub fn offset(&self, at: u32) -> u64 {
        match self.runs.partition_point(|(from, _)| *from <= at).checked_sub(1) {
            Some(ix) => self.runs[ix].1 + u64::from(at - self.runs[ix].0),
            None => self.start + u64::from(at),
        }
    }

    /// The place of a span of the record.
    pub fn place(&self, start: u32, end: u32) -> Place {
        let from = self.offset(start);
        // The end is taken as "behind the last byte", so that a span that ends at a run's end stays in it.
        let to = if end > start { self.offset(end - 1) + 1 } else { from };
        Place::new(self.doc, from, u32::try_from(to - from).unwrap_or(u32::MAX))
    }

    /// The place of a value.
    pub fn of(&self, val: Val<'_>) -> Place {
        self.place(val.start(), val.end())
    }
}

/// Removes the members with these keys from an object.
pub fn remove_members(object: Val<'_>, keys: &[&str], base: Base<'_>, out: &mut Vec<Edit>) {
    let mut slots = Vec::new();
    for (n, member) in object.members().enumerate() {
        if !keys.iter().any(|key| member.key.is(key.as_bytes())) {
            slots.push(Slot::Keep(n as u32));
        }
    }
    edit_sequence(object, slots, base, out);
}

/// Adds a member behind the last one of an object. `text` is the key, the colon and the value.
pub fn add_member(object: Val<'_>, text: Vec<u8>, base: Base<'_>, out: &mut Vec<Edit>) {
    let mut slots: Vec<Slot> = (0..object.count()).map(Slot::Keep).collect();
    slots.push(Slot::New(vec![With::text(text)]));
    edit_sequence(object, slots, base, out);
}

/// Makes an array or object hold what `slots` say. Kept entries must come in their old order.
pub fn edit_sequence(container: Val<'_>, slots: Vec<Slot>, base: Base<'_>, out: &mut Vec<Edit>) {
    let spans = entry_spans(container);
    let style = Style::of(container, &spans);
    let mut kept_before: Option<u32> = None;
    let mut fresh: Vec<Vec<With>> = Vec::new();
    for slot in slots {
        match slot {
            Slot::New(with) => fresh.push(with),
            Slot::Keep(ix) => {
                let span = spans[ix as usize];
                match kept_before {
                    Some(before) => {
                        if !fresh.is_empty() || ix > before + 1 {
                            let at = base.place(spans[before as usize].1, spans[ix as usize - 1].1);
                            out.push(Edit { at, with: joined(&mut fresh, |with, text| style.lead(with, text)) });
                        }
                    }
                    None if ix > 0 || !fresh.is_empty() => {
                        let at = base.place(spans[0].0, span.0);
                        out.push(Edit { at, with: joined(&mut fresh, |with, text| style.follow(with, text)) });
                    }
                    None => {}
                }
                kept_before = Some(ix);
            }
        }
    }
    match (kept_before, spans.last()) {
        (Some(before), Some(last)) => {
            let from = spans[before as usize].1;
            if from < last.1 || !fresh.is_empty() {
                let at = base.place(from, last.1);
                out.push(Edit { at, with: joined(&mut fresh, |with, text| style.lead(with, text)) });
            }
        }
        // Nothing of the old is left: what is new, or an empty container.
        (None, Some(last)) => {
            let inner = (container.start() + 1, container.end() - 1);
            if fresh.is_empty() {
                out.push(Edit::remove(base.place(inner.0, inner.1)));
            } else {
                let at = base.place(spans[0].0, last.1);
                out.push(Edit { at, with: only(&mut fresh, &style) });
            }
        }
        (_, None) if !fresh.is_empty() => {
            let at = base.place(container.start() + 1, container.end() - 1);
            out.push(Edit { at, with: only(&mut fresh, &style) });
        }
        (_, None) => {}
    }
}

fn joined(fresh: &mut Vec<Vec<With>>, each: impl Fn(Vec<With>, &mut Vec<With>)) -> Vec<With> {
    let mut out = Vec::new();
    for with in fresh.drain(..) {
        each(with, &mut out);
    }
    out
}

fn only(fresh: &mut Vec<Vec<With>>, style: &Style) -> Vec<With> {
    let mut out = Vec::new();
    for (n, with) in fresh.drain(..).enumerate() {
        if n == 0 { out.extend(with) } else { style.lead(with, &mut out) }
    }
    out
}

/// Spans of the entries: an element, or a member from its key to the end of its value.
fn entry_spans(container: Val<'_>) -> Vec<(u32, u32)> {
    match container.kind() {
        NodeKind::Object => container.members().map(|m| (m.key_start, m.val.end())).collect(),
        _ => container.elements().map(|e| (e.start(), e.end())).collect(),
    }
}

/// The whitespace behind the commas of a container, as its first two entries show it.
struct Style {
    space: Box<[u8]>,
}

impl Style {
    fn of(container: Val<'_>, spans: &[(u32, u32)]) -> Self {
        let bytes = container.record();
        let between = match spans {
            [first, second, ..] => &bytes[first.1 as usize..second.0 as usize],
            [only] => &bytes[container.start() as usize + 1..only.0 as usize],
            [] => &[],
        };
        Style { space: between.iter().copied().filter(|b| *b != b',').collect() }
    }

    /// A comma in front: for what comes behind a kept entry.
    fn lead(&self, with: Vec<With>, out: &mut Vec<With>) {
        out.push(With::text([b",", &*self.space].concat()));
        out.extend(with);
    }

    /// A comma behind: for what comes before the first kept entry.
    fn follow(&self, with: Vec<With>, out: &mut Vec<With>) {
        out.extend(with);
        out.push(With::text([b",", &*self.space].concat()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tape, scan};
    use super::*;
    use crate::place::{Patch, Pieces};

    fn edited(text: &str, slots: &[Slot]) -> String {
        let mut tape = Tape::new();
        assert_eq!(scan(text.as_bytes(), &mut tape), Ok(()));
        let root = tape.root(text.as_bytes()).expect("scanned");
        let mut edits = Vec::new();
        edit_sequence(root, slots.to_vec(), Base::new(DocId(0), 0), &mut edits);
        let mut patch = Patch::default();
        assert!(patch.add(edits).is_empty());
        let pieces = Pieces::new(patch.edits(DocId(0)), DocId(0), text.len() as u64);
        let mut out = Vec::new();
        let _: Result<(), ()> = pieces.walk(0, pieces.len(), |with| {
            match with {
                With::Text(new) => out.extend_from_slice(new),
                With::Copy(at) => out.extend_from_slice(&text.as_bytes()[at.start as usize..at.end() as usize]),
            }
            Ok(())
        });
        String::from_utf8(out).expect("UTF-8")
    }

    fn new(text: &str) -> Slot {
        Slot::New(vec![With::text(text)])
    }

    use Slot::Keep;

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
        let base = Base::of_runs(DocId(0), &runs);
        assert_eq!(base.place(2, 10), Place::new(DocId(0), 102, 8));
        assert_eq!(base.place(10, 12), Place::new(DocId(0), 5000, 2));
    }
}
