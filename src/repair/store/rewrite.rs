//! From a draft to edits: a removed value is taken out of its list or object, and containers without any sent
//! content are removed with it; insertions are put beside existing values; and lines are linked again.

use std::io;

use foldhash::HashSet;

use crate::format::Editor;
use crate::json::Val;
use crate::json::edit::{RecordBase, Sequence, SequenceSlot, remove_members};
use crate::place::{Edit, Place, ReplacementPart};

use super::draft::Draft;
use super::lines::{self, ChangedLine};
use super::origin_map::outermost_places;
use super::view::StoreView;
use crate::repair::edit::item_text::insert_lines_after;

/// The edits of a draft.
#[derive(Default)]
pub(super) struct StoreEdits {
    pub edits: Vec<Edit>,
    /// Records that change.
    pub touched: Vec<Place>,
    /// Lines that get another link, each with its number and the line that caused it.
    pub link_changes: Vec<((Place, u32), Place)>,
}

struct Rewrite<'r, 'v> {
    view: &'r StoreView<'v>,
    draft: &'r Draft,
    removed: HashSet<(u64, u32)>,
    /// Offsets of all edits, in order.
    edit_starts: Vec<u64>,
    /// Places that are removed as a whole.
    gone: Vec<Place>,
    edits: Vec<Edit>,
}

pub(super) fn edits(view: &StoreView<'_>, editor: &Editor, mut draft: Draft) -> io::Result<StoreEdits> {
    let mut records = std::mem::take(&mut draft.records);
    let text_edits = std::mem::take(&mut draft.edits);
    records.sort_by_key(|at| at.start);
    records.dedup();
    let mut edit_starts: Vec<u64> = draft.removed.iter().map(|at| at.start).collect();
    edit_starts.extend(draft.beside.keys().chain(draft.appended.keys()));
    edit_starts.sort_unstable();
    let removed = draft.removed.iter().map(|at| (at.start, at.len)).collect();
    let mut rewrite = Rewrite { view, draft: &draft, removed, edit_starts, gone: Vec::new(), edits: Vec::new() };
    let mut changed = Vec::new();
    for at in &records {
        let Some(record) = view.record(*at) else { continue };
        let Some(root) = record.root() else { continue };
        let goes = rewrite.visit(root, record.base());
        if record.is_list(editor) {
            continue;
        }
        let beside = draft.beside.get(&record.at.start);
        if goes || beside.is_some() {
            changed.push(ChangedLine { beside: beside.cloned().unwrap_or_default(), goes, record });
        }
    }
    let mut done = StoreEdits { touched: records, ..StoreEdits::default() };
    let linked = match editor.links.filter(|_| !changed.is_empty()) {
        Some(links) => lines::relink(view, links, &mut changed)?,
        None => Vec::new(),
    };
    for edit in linked {
        done.touched.push(edit.line.0);
        rewrite.edits.push(edit.edit);
        done.link_changes.push((edit.line, edit.cause));
    }
    let Rewrite { mut gone, mut edits, .. } = rewrite;
    for ChangedLine { record, goes, beside } in changed {
        let at = record.at;
        if goes {
            gone.push(at);
            edits.push(Edit::remove(at));
        }
        let at_start = Place::new(at.doc, at.start, 0);
        for text in beside.before {
            edits.push(Edit {
                at: at_start,
                with: vec![ReplacementPart::text(text), ReplacementPart::text(*b"\n")],
            });
        }
        let new_lines = beside.after.into_iter().map(|text| vec![ReplacementPart::text(text)]).collect();
        insert_lines_after(at, &record.text, goes, new_lines, &mut edits);
    }
    let mut seen = HashSet::default();
    let texts = edits_outside(text_edits, gone).filter(|edit| seen.insert(edit.at));
    done.edits = texts.chain(edits).collect();
    Ok(done)
}

impl Rewrite<'_, '_> {
    /// Makes the drafted edits in a value. True if the value must be removed, too.
    fn visit(&mut self, val: Val<'_>, base: RecordBase<'_>) -> bool {
        let at = base.of(val);
        if self.removed.contains(&(at.start, at.len)) {
            self.gone.push(at);
            return true;
        }
        let from = self.edit_starts.partition_point(|own| *own < at.start);
        if self.edit_starts.get(from).is_none_or(|own| *own >= at.end()) {
            return false;
        }
        let before = self.edits.len();
        let goes = if val.is_array() { self.edit_list(val, base) } else { self.edit_object(val, base) };
        if goes {
            self.edits.truncate(before);
            self.gone.push(at);
        }
        goes
    }

    fn edit_list(&mut self, list: Val<'_>, base: RecordBase<'_>) -> bool {
        let draft = self.draft;
        let new = |texts: &[Vec<u8>]| -> Vec<SequenceSlot> {
            texts.iter().map(|text| SequenceSlot::New(vec![ReplacementPart::text(text.clone())])).collect()
        };
        let mut slots = Vec::with_capacity(list.count() as usize);
        for (n, element) in (0..).zip(list.elements()) {
            let beside = draft.beside.get(&base.of(element).start);
            slots.extend(beside.into_iter().flat_map(|beside| new(&beside.before)));
            if !self.visit(element, base) {
                slots.push(SequenceSlot::Keep(n));
            }
            slots.extend(beside.into_iter().flat_map(|beside| new(&beside.after)));
        }
        slots.extend(draft.appended.get(&base.of(list).start).into_iter().flat_map(|texts| new(texts)));
        if slots.is_empty() && list.count() > 0 {
            return true;
        }
        let is_kept =
            slots.len() == list.count() as usize && slots.iter().all(|slot| matches!(slot, SequenceSlot::Keep(_)));
        if let Ok(sequence) = Sequence::of_list(list, base)
            && !is_kept
        {
            sequence.edit(slots, &mut self.edits);
        }
        false
    }

    fn edit_object(&mut self, object: Val<'_>, base: RecordBase<'_>) -> bool {
        let mut gone: Vec<String> = Vec::new();
        for member in object.members() {
            if self.visit(member.val, base) {
                gone.push(String::from_utf8_lossy(&member.key.decode()).into_owned());
            }
        }
        if gone.is_empty() {
            return false;
        }
        if !self.view.origins.keeps(base.of(object), &self.draft.removed_ranges) {
            return true;
        }
        let keys: Vec<&str> = gone.iter().map(String::as_str).collect();
        // It has these members, so it is an object.
        let _ = remove_members(object, &keys, base, &mut self.edits);
        false
    }
}

/// The edits outside of removed places.
fn edits_outside(edits: Vec<Edit>, gone: Vec<Place>) -> impl Iterator<Item = Edit> {
    let gone = outermost_places(gone);
    edits.into_iter().filter(move |edit| {
        let before = gone.partition_point(|at| at.start <= edit.at.start).checked_sub(1);
        !before.and_then(|ix| gone.get(ix)).is_some_and(|at| at.contains(&edit.at))
    })
}
