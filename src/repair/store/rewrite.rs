//! From a draft to edits: what goes is taken out of its list or object, and what holds nothing that is said goes with it;
//! what comes is put beside what is there. Lines that go or come are linked anew.

use std::collections::HashSet;
use std::io;

use crate::format::Editor;
use crate::json::Val;
use crate::json::edit::{Base, Sequence, Slot, remove_members};
use crate::place::{Edit, Place, With};

use super::draft::Draft;
use super::lines::{self, Line};
use super::traced::largest;
use super::view::View;
use crate::repair::edit::item_text::lines_after;

/// What a draft comes to.
#[derive(Default)]
pub(super) struct Done {
    pub edits: Vec<Edit>,
    /// Records that change.
    pub touched: Vec<Place>,
    /// Lines that get another link, each with its number and what that comes of.
    pub relinked: Vec<((Place, u32), Place)>,
}

struct Rewrite<'r, 'v> {
    view: &'r View<'v>,
    draft: &'r Draft,
    removed: HashSet<(u64, u32)>,
    /// Where something is done, in order.
    busy: Vec<u64>,
    /// What is taken out, whole.
    gone: Vec<Place>,
    edits: Vec<Edit>,
}

pub(super) fn all(view: &View<'_>, editor: &Editor, mut draft: Draft) -> io::Result<Done> {
    let mut records = std::mem::take(&mut draft.records);
    let text_edits = std::mem::take(&mut draft.edits);
    records.sort_by_key(|at| at.start);
    records.dedup();
    let mut busy: Vec<u64> = draft.removed.iter().map(|at| at.start).collect();
    busy.extend(draft.beside.keys().chain(draft.filled.keys()));
    busy.sort_unstable();
    let removed = draft.removed.iter().map(|at| (at.start, at.len)).collect();
    let mut rewrite = Rewrite { view, draft: &draft, removed, busy, gone: Vec::new(), edits: Vec::new() };
    let mut changed = Vec::new();
    for at in &records {
        let Some(record) = view.record(*at) else { continue };
        let Some(root) = record.root() else { continue };
        let goes = rewrite.settle(root, record.base());
        if record.is_list(editor) {
            continue;
        }
        let beside = draft.beside.get(&record.at.start);
        if goes || beside.is_some() {
            changed.push(Line { beside: beside.cloned().unwrap_or_default(), goes, record });
        }
    }
    let mut done = Done { touched: records, ..Done::default() };
    let linked = match editor.links.filter(|_| !changed.is_empty()) {
        Some(links) => lines::relinked(view, links, &mut changed)?,
        None => Vec::new(),
    };
    for edit in linked {
        done.touched.push(edit.line.0);
        rewrite.edits.push(edit.edit);
        done.relinked.push((edit.line, edit.because));
    }
    let Rewrite { mut gone, mut edits, .. } = rewrite;
    for Line { record, goes, beside } in changed {
        let at = record.at;
        if goes {
            gone.push(at);
            edits.push(Edit::remove(at));
        }
        let at_start = Place::new(at.doc, at.start, 0);
        for text in beside.before {
            edits.push(Edit { at: at_start, with: vec![With::text(text), With::text(*b"\n")] });
        }
        let fresh = beside.behind.into_iter().map(|text| vec![With::text(text)]).collect();
        lines_after(at, &record.text, goes, fresh, &mut edits);
    }
    let mut seen = HashSet::new();
    let texts = outside(text_edits, gone).filter(|edit| seen.insert(edit.at));
    done.edits = texts.chain(edits).collect();
    Ok(done)
}

impl Rewrite<'_, '_> {
    /// Makes what is drafted in a value. Says whether nothing is left that it was for.
    fn settle(&mut self, val: Val<'_>, base: Base<'_>) -> bool {
        let at = base.of(val);
        if self.removed.contains(&(at.start, at.len)) {
            self.gone.push(at);
            return true;
        }
        let from = self.busy.partition_point(|own| *own < at.start);
        if self.busy.get(from).is_none_or(|own| *own >= at.end()) {
            return false;
        }
        let before = self.edits.len();
        let goes = if val.is_array() { self.list(val, base) } else { self.object(val, base) };
        if goes {
            self.edits.truncate(before);
            self.gone.push(at);
        }
        goes
    }

    fn list(&mut self, list: Val<'_>, base: Base<'_>) -> bool {
        let draft = self.draft;
        let new = |texts: &[Vec<u8>]| -> Vec<Slot> {
            texts.iter().map(|text| Slot::New(vec![With::text(text.clone())])).collect()
        };
        let mut slots = Vec::with_capacity(list.count() as usize);
        for (n, element) in (0..).zip(list.elements()) {
            let beside = draft.beside.get(&base.of(element).start);
            slots.extend(beside.into_iter().flat_map(|beside| new(&beside.before)));
            if !self.settle(element, base) {
                slots.push(Slot::Keep(n));
            }
            slots.extend(beside.into_iter().flat_map(|beside| new(&beside.behind)));
        }
        slots.extend(draft.filled.get(&base.of(list).start).into_iter().flat_map(|texts| new(texts)));
        if slots.is_empty() && list.count() > 0 {
            return true;
        }
        let is_kept =
            slots.len() == list.count() as usize && slots.iter().all(|slot| matches!(slot, Slot::Keep(_)));
        if let Ok(sequence) = Sequence::of_list(list, base)
            && !is_kept
        {
            sequence.edit(slots, &mut self.edits);
        }
        false
    }

    fn object(&mut self, object: Val<'_>, base: Base<'_>) -> bool {
        let mut gone: Vec<String> = Vec::new();
        for member in object.members() {
            if self.settle(member.val, base) {
                gone.push(String::from_utf8_lossy(&member.key.decode()).into_owned());
            }
        }
        if gone.is_empty() {
            return false;
        }
        if !self.view.traced.keeps(base.of(object), &self.draft.gone) {
            return true;
        }
        let keys: Vec<&str> = gone.iter().map(String::as_str).collect();
        // It has these members, so it is an object.
        let _ = remove_members(object, &keys, base, &mut self.edits);
        false
    }
}

/// Edits without those that lie in what is taken out.
fn outside(edits: Vec<Edit>, gone: Vec<Place>) -> impl Iterator<Item = Edit> {
    let gone = largest(gone);
    edits.into_iter().filter(move |edit| {
        let before = gone.partition_point(|at| at.start <= edit.at.start).checked_sub(1);
        !before.and_then(|ix| gone.get(ix)).is_some_and(|at| at.contains(&edit.at))
    })
}
