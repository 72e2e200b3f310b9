//! What becomes of the records: for each item that something becomes of, what it came from goes, changes, or gets a
//! neighbour. What the store cannot say is a fault, and is planned without.

use std::collections::HashMap;
use std::rc::Rc;

use crate::dialect::{Cannot, Dialect, TextChange};
use crate::format::{Editor, Links, OpenCall, PartResults, Results, raw};
use crate::history::Row;
use crate::json::{Val, fingerprint_of, string};
use crate::place::{DocId, Edit, Patch, Place, With};
use crate::source::{Container, Rows};

use super::lines::{Beside, with};
use super::traced::Mapped;
use super::view::{Stored, View};
use crate::repair::edit::insertion::Fresh;
use crate::repair::edit::item_text::{edits_of, patched};
use crate::repair::plan::history_plan::Fate;

const NO_PLACE: &str = "what it was made of cannot be taken out of its record";
const HOLDS_MORE: &str = "the record that holds it says something else, too, that has to stay";
const NOT_HERE: &str = "a store of this kind has no place for it; `replaylint convert --to API FILE` writes a request, which `fix` can repair";
const NO_ANSWER: &str = "no result can be written for a call like this one";
const NO_ROWS: &str =
    "rows of a database are not added or moved; `replaylint convert --to API FILE` writes the history to a file";
const ROWS_STAY: &str = "rows of this database are not removed, because others refer to them; `replaylint convert --to API FILE` writes the history to a file";
const ONLY_READ: &str =
    "this database is only read; `replaylint convert --to API FILE` writes a request, which `fix` can repair";
const SPREAD: &str = "the record spans several lines, so no other can be put beside it";

/// Lines after a call that are looked through for what goes on about it.
const REACH: usize = 256;

/// What is to become of an item.
pub(in crate::repair) struct Planned<'p> {
    pub row: &'p Row,
    pub fate: &'p Fate,
    /// That of its history: a store may send its histories in several.
    pub dialect: &'static dyn Dialect,
}

/// An item, by its place in the made text, and why what is wanted of it cannot be made.
pub(in crate::repair) type Fault = (Place, &'static str);

/// A message that comes to stand beside another one, around parts.
struct NewMessage {
    record: Rc<Stored>,
    beside: Place,
    is_before: bool,
    parts: Vec<Vec<u8>>,
}

/// What becomes of the records of a store.
#[derive(Default)]
pub(in crate::repair) struct Draft {
    /// Values that go.
    pub removed: Vec<Place>,
    pub edits: Vec<Edit>,
    /// By where the element, or the record, begins.
    pub beside: HashMap<u64, Beside>,
    /// What comes into lists that are empty, by where they begin.
    pub filled: HashMap<u64, Vec<Vec<u8>>>,
    /// Stretches of the made text that go, in order.
    pub gone: Vec<(u64, u64)>,
    /// Records in which something is done.
    pub records: Vec<Place>,
}

struct Drafting<'d, 'v> {
    view: &'d View<'v>,
    editor: &'static Editor,
    draft: Draft,
    new: Vec<NewMessage>,
    faults: Vec<Fault>,
}

impl Draft {
    pub fn of(view: &View<'_>, editor: &'static Editor, planned: &[Planned<'_>]) -> (Draft, Vec<Fault>) {
        if view.rows == Some(Rows::Read) {
            return (Draft::default(), planned.iter().map(|one| (one.row.at, ONLY_READ)).collect());
        }
        let mut drafting = Drafting { view, editor, draft: Draft::default(), new: Vec::new(), faults: Vec::new() };
        drafting.changes(planned);
        for one in planned {
            one.fate.before.iter().for_each(|fresh| drafting.fresh(one, fresh, true));
            one.fate.behind.iter().for_each(|fresh| drafting.fresh(one, fresh, false));
        }
        if let Results::Parts(parts) = editor.results
            && let Err(Cannot(why)) = drafting.new_messages(parts)
        {
            drafting.faults.extend(planned.iter().map(|one| (one.row.at, why)));
        }
        (drafting.draft, drafting.faults)
    }
}

impl Drafting<'_, '_> {
    /// What goes, and what changes where it is.
    fn changes(&mut self, planned: &[Planned<'_>]) {
        let mut goes = Vec::new();
        let mut unsaid = Vec::new();
        for one in planned {
            let Planned { row, fate, .. } = one;
            if fate.hoisted.is_some() || fate.replaced_by.is_some() {
                self.faults.push((row.at, NOT_HERE));
            }
            if !fate.stays() {
                self.draft.gone.push((row.at.start, row.at.end()));
                goes.push(*row);
                continue;
            }
            match self.mapped(one) {
                Ok(mapped) => {
                    for edit in mapped {
                        match edit {
                            Mapped::Replace(edit) => self.draft.edits.push(edit),
                            Mapped::Remove(from, to) => {
                                self.draft.gone.push((from, to));
                                unsaid.push((*row, from, to));
                            }
                        }
                    }
                }
                Err(Cannot(why)) => self.faults.push((row.at, why)),
            }
        }
        self.draft.gone.sort_unstable();
        for row in goes {
            let at = self.view.origin(row.at);
            let why = match self.value_at(at) {
                _ if self.view.rows == Some(Rows::Changed) => Some(ROWS_STAY),
                None => Some(NO_PLACE),
                Some(_) if self.view.traced.keeps(at, &self.draft.gone) => Some(HOLDS_MORE),
                Some((record, at)) => {
                    self.remove(&record, at);
                    None
                }
            };
            self.faults.extend(why.map(|why| (row.at, why)));
        }
        for (row, from, to) in unsaid {
            let removed = self.view.traced.removed(from, to, &self.draft.gone);
            let places = removed.and_then(|places| {
                let found = |at: Place| self.value_at(at).ok_or(Cannot(NO_PLACE));
                places.into_iter().map(found).collect::<Result<Vec<_>, _>>()
            });
            match places {
                Ok(places) => places.into_iter().for_each(|(record, at)| self.remove(&record, at)),
                Err(Cannot(why)) => self.faults.push((row.at, why)),
            }
        }
    }

    fn remove(&mut self, record: &Stored, at: Place) {
        self.draft.records.push(record.at);
        self.draft.removed.push(at);
    }

    /// The value at a place, and its record: the string, where the place is what it spells.
    fn value_at(&self, at: Place) -> Option<(Rc<Stored>, Place)> {
        let record = self.view.record(at)?;
        if record.value(at).is_some() {
            return Some((record, at));
        }
        let quoted = Place::new(at.doc, at.start.checked_sub(1)?, at.len + 2);
        record.value(quoted).is_some_and(|val| val.is_string()).then_some((record, quoted))
    }

    /// The changes to an item that stays, as edits on the store.
    fn mapped(&mut self, Planned { row, fate, dialect }: &Planned<'_>) -> Result<Vec<Mapped>, Cannot> {
        if fate.text.is_empty() {
            return Ok(Vec::new());
        }
        let edits = self.edits_of(*dialect, row, &fate.text)?;
        let mapped: Vec<Mapped> = edits.iter().map(|edit| self.view.traced.map(edit)).collect::<Result<_, _>>()?;
        if let Some(record) = self.view.record(self.view.origin(row.at)) {
            self.draft.records.push(record.at);
        }
        Ok(mapped)
    }

    /// The edits of changes to an item, in the made text.
    fn edits_of(
        &self,
        dialect: &'static dyn Dialect,
        row: &Row,
        changes: &[TextChange],
    ) -> Result<Vec<Edit>, Cannot> {
        let mut text = Vec::new();
        let read = self.view.bytes.read_into(row.at.start, row.at.len as usize, &mut text);
        read.map_err(|_| Cannot(NO_PLACE))?;
        let moved = |at: Place| Place::new(at.doc, at.start + row.at.start, at.len);
        let edits = edits_of(dialect, row.at.doc, &text, changes)?.into_iter().map(|edit| {
            let with = edit.with.into_iter().map(|with| match with {
                With::Copy(at) => With::Copy(moved(at)),
                text => text,
            });
            Edit { at: moved(edit.at), with: with.collect() }
        });
        Ok(edits.collect())
    }

    /// Something comes to stand beside an item.
    fn fresh(&mut self, beside: &Planned<'_>, fresh: &Fresh, is_before: bool) {
        let (own, done) = match fresh {
            Fresh::Message(list) => {
                return list.iter().for_each(|fresh| self.fresh(beside, fresh, is_before));
            }
            Fresh::Stub(call) => (call.at, self.answer(beside.row, call, is_before)),
            Fresh::Moved(result, changes) => (result.at, self.bring(beside, result, changes, is_before)),
            _ => (beside.row.at, Err(Cannot(NOT_HERE))),
        };
        self.faults.extend(done.err().map(|Cannot(why)| (own, why)));
    }

    /// A result comes from elsewhere.
    fn bring(
        &mut self,
        beside: &Planned<'_>,
        result: &Row,
        changes: &[TextChange],
        is_before: bool,
    ) -> Result<(), Cannot> {
        let at = self.view.origin(result.at);
        let from = self.view.record(at).ok_or(Cannot(NO_PLACE))?;
        let whole = match self.editor.results {
            Results::InCall(_) => return Err(Cannot(NOT_HERE)),
            Results::Messages(_) => from.message(self.editor, at).ok_or(Cannot(NO_PLACE))?,
            Results::Parts(_) => at,
        };
        if self.view.traced.keeps(whole, &self.draft.gone) {
            return Err(Cannot(HOLDS_MORE));
        }
        let edits = self.edits_of(beside.dialect, result, changes)?;
        let text = self.changed(&from, whole, edits)?;
        if whole != at {
            self.remove(&from, whole);
        }
        self.put(beside.row, text, is_before)
    }

    /// The text of a value of the store after edits on an item in it.
    fn changed(&self, record: &Stored, at: Place, edits: Vec<Edit>) -> Result<Vec<u8>, Cannot> {
        let old = record.value(at).ok_or(Cannot(NO_PLACE))?.raw();
        let mut patch = Patch::default();
        for edit in edits {
            let Mapped::Replace(edit) = self.view.traced.map(&edit)? else { return Err(Cannot(NOT_HERE)) };
            let inside = edit.at.start.checked_sub(at.start).ok_or(Cannot(NO_PLACE))?;
            patch.add([Edit { at: Place::new(DocId(0), inside, edit.at.len), ..edit }]);
        }
        Ok(patched(old, &patch, DocId(0)))
    }

    /// A call gets a result that claims nothing.
    fn answer(&mut self, row: &Row, call: &Row, is_before: bool) -> Result<(), Cannot> {
        let at = self.view.origin(call.at);
        let (record, at) = self.value_at(at).ok_or(Cannot(NO_PLACE))?;
        let (root, stored) = (record.root().ok_or(Cannot(NO_PLACE))?, record.value(at).ok_or(Cannot(NO_PLACE))?);
        let base = record.base();
        let message = record.message(self.editor, at).and_then(|at| record.value(at)).ok_or(Cannot(NO_PLACE))?;
        let open = OpenCall { call: stored, message, record: root, base };
        match self.editor.results {
            Results::InCall(end) => {
                let mut edits = Vec::new();
                end(&open, &mut edits).ok_or(Cannot(NO_ANSWER))?;
                self.draft.records.push(record.at);
                self.draft.edits.append(&mut edits);
                Ok(())
            }
            Results::Messages(write) => {
                let text = write(&open).ok_or(Cannot(NO_ANSWER))?;
                if let Some(is_about) = self.editor.is_about.filter(|_| !is_before) {
                    let last = self.last_line_of(&record, &open, is_about);
                    return self.put_beside(&last, last.at, text, false);
                }
                self.put(row, text, is_before)
            }
            Results::Parts(parts) => {
                let text = (parts.part)(&open).ok_or(Cannot(NO_ANSWER))?;
                self.put(row, text, is_before)
            }
        }
    }

    /// The last line in a row of them that says something of a call.
    fn last_line_of(
        &self,
        record: &Rc<Stored>,
        call: &OpenCall<'_>,
        is_about: fn(Val<'_>, &OpenCall<'_>) -> bool,
    ) -> Rc<Stored> {
        let (mut last, mut at) = (record.clone(), record.clone());
        for _ in 0..REACH {
            let Some(next) = self.view.next(&at) else { break };
            match next.root() {
                Some(line) if is_about(line, call) => last = next.clone(),
                Some(_) if is_said(self.view, &next) => break,
                _ => {}
            }
            at = next;
        }
        last
    }

    /// Puts a result beside the message that holds an item, or beside the item.
    fn put(&mut self, row: &Row, text: Vec<u8>, is_before: bool) -> Result<(), Cannot> {
        let first = self.view.origin(row.at);
        // An answer may lie in several records: what comes after it comes after the last.
        let is_behind = !is_before && matches!(self.editor.results, Results::Messages(_));
        let last = self.view.traced.last(row.at).filter(|last| is_behind && last.start > first.start);
        let at = last.unwrap_or(first);
        let record = self.view.record(at).ok_or(Cannot(NO_PLACE))?;
        let message = record.message(self.editor, at).ok_or(Cannot(NO_PLACE))?;
        match self.editor.results {
            Results::Parts(parts) => self.put_part(parts, &record, message, at, text, is_before),
            _ => self.put_beside(&record, message, text, is_before),
        }
    }

    fn put_part(
        &mut self,
        parts: &'static PartResults,
        record: &Rc<Stored>,
        message: Place,
        at: Place,
        text: Vec<u8>,
        is_before: bool,
    ) -> Result<(), Cannot> {
        let base = record.base();
        let element = |list: Val<'_>| list.elements().map(|one| base.of(one)).find(|one| one.contains(&at));
        if let Some(part) = record.value(message).and_then(parts.list).and_then(element) {
            self.draft.records.push(record.at);
            self.draft.beside.entry(part.start).or_default().put(text, is_before);
            return Ok(());
        }
        if let Some((next, list)) = self.next_list(parts, record, message).filter(|_| !is_before) {
            self.draft.records.push(next.at);
            let first = next.value(list).and_then(|list| list.elements().next());
            match first.map(|first| next.base().of(first)) {
                Some(first) => self.draft.beside.entry(first.start).or_default().before.push(text),
                None => self.draft.filled.entry(list.start).or_default().push(text),
            }
            return Ok(());
        }
        if self.view.rows.is_some() {
            return Err(Cannot(NO_ROWS));
        }
        let is_same = |new: &&mut NewMessage| new.beside == message && new.is_before == is_before;
        match self.new.iter_mut().find(is_same) {
            Some(new) => new.parts.push(text),
            None => {
                let record = record.clone();
                self.new.push(NewMessage { record, beside: message, is_before, parts: vec![text] });
            }
        }
        Ok(())
    }

    /// Writes the messages around new parts.
    fn new_messages(&mut self, parts: &PartResults) -> Result<(), Cannot> {
        for NewMessage { record, beside, is_before, parts: list } in std::mem::take(&mut self.new) {
            let near = record.value(beside).ok_or(Cannot(NO_PLACE))?;
            let text = (parts.message)(&list.join(&b","[..]), near).ok_or(Cannot(NO_ANSWER))?;
            self.put_beside(&record, beside, text, is_before)?;
        }
        Ok(())
    }

    /// The list of results in the message after this one.
    fn next_list(&self, parts: &PartResults, record: &Rc<Stored>, message: Place) -> Option<(Rc<Stored>, Place)> {
        let next = match record.message_after(self.editor, message) {
            Some(next) => (record.clone(), next?),
            None => {
                let next = self.view.next(record)?;
                let whole = next.base().of(next.root()?);
                (next, whole)
            }
        };
        let list = (parts.list)(next.0.value(next.1)?)?;
        let at = next.0.base().of(list);
        Some((next.0, at))
    }

    /// Puts a message beside another one.
    fn put_beside(
        &mut self,
        record: &Rc<Stored>,
        message: Place,
        text: Vec<u8>,
        is_before: bool,
    ) -> Result<(), Cannot> {
        let is_record = !record.is_list(self.editor);
        if is_record && self.view.rows.is_some() {
            return Err(Cannot(NO_ROWS));
        }
        if is_record
            && matches!(self.view.container, Container::Document { .. })
            && record.text.trim_ascii().contains(&b'\n')
        {
            return Err(Cannot(SPREAD));
        }
        self.draft.records.push(record.at);
        let start = if is_record { record.at.start } else { message.start };
        let text = match self.editor.links.filter(|_| is_record) {
            Some(links) => named(links, record, text)?,
            None => text,
        };
        self.draft.beside.entry(start).or_default().put(text, is_before);
        Ok(())
    }
}

/// A new line with a name of its own: the same in each run. One that has a name keeps it.
fn named(links: &Links, after: &Stored, text: Vec<u8>) -> Result<Vec<u8>, Cannot> {
    let new = Stored::of_text(text).ok_or(Cannot(NO_ANSWER))?;
    let (Some(root), Some(anchor)) = (new.root(), after.root()) else { return Err(Cannot(NO_ANSWER)) };
    let is_named = root.get(links.name).is_some_and(|name| name.is_string());
    if is_named || anchor.get(links.name).is_none() {
        return Ok(new.text);
    }
    let name = raw(anchor, &[&[links.name]]);
    let one = fingerprint_of(&[name, root.raw()].concat());
    let two = fingerprint_of(&[root.raw(), name].concat());
    let name = string::quoted(&(links.new_name)(one, two));
    Ok(with(&new.text, &[(links.name, &name), (links.parent, b"null")]))
}

/// Whether something of a record is sent.
fn is_said(view: &View<'_>, record: &Stored) -> bool {
    view.traced.keeps(record.at, &[])
}
