//! Draft of the edits on the records of a store: for each changed item, its source is removed, changed, or gets a
//! neighbour. What the store cannot represent is a fault, and the plan is made again without it.

use std::rc::Rc;

use foldhash::HashMap;

use crate::dialect::{Dialect, EditRefusal, TextChange};
use crate::format::{Editor, LineLinks, OpenCall, PartResults, ResultStorage, raw_member};
use crate::history::Row;
use crate::json::{Val, fingerprint_of, string};
use crate::place::{DocId, Edit, Patch, Place, ReplacementPart};
use crate::source::{Container, RowAccess};

use super::lines::{Insertions, with_members};
use super::origin_map::OriginEdit;
use super::view::{StoreRecord, StoreView};
use crate::repair::edit::insertion::Insertion;
use crate::repair::edit::item_text::item_edits;
use crate::repair::plan::item_decision::ItemDecision;

pub(super) const NO_PLACE: &str = "the part of the record that it comes from cannot be removed";
pub(super) const HOLDS_MORE: &str = "its record also contains content that must stay";
pub(super) const NOT_HERE: &str =
    "this store cannot represent it; `replaylint convert --to API FILE` writes a request, which `fix` can repair";
const NO_ANSWER: &str = "a result cannot be written for this kind of call";
const NO_ROWS: &str =
    "database rows cannot be added or moved; `replaylint convert --to API FILE` writes the history to a file";
const ROWS_STAY: &str = "rows of this database cannot be removed, because other rows refer to them; `replaylint convert --to API FILE` writes the history to a file";
const FILES_STAY: &str = "the files of this session are numbered: none can be removed, and new ones are added after the last; `replaylint convert --to API FILE` writes a request";
const ONLY_READ: &str =
    "this database is read-only; `replaylint convert --to API FILE` writes a request, which `fix` can repair";
const SPREAD: &str = "the record spans several lines, so no record can be inserted next to it";

/// Number of lines after a call that are searched for later lines about it.
const REACH: usize = 256;

/// An item with the decision about it.
pub(in crate::repair) struct PlannedItem<'p> {
    pub row: &'p Row,
    pub decision: &'p ItemDecision,
    /// The dialect of its history: a store may send its histories in several.
    pub dialect: &'static dyn Dialect,
}

/// An item, by its place in the synthetic text, and why its change is impossible.
pub(in crate::repair) type EditFault = (Place, &'static str);

/// A new message around parts, which is inserted beside another one.
struct NewMessage {
    record: Rc<StoreRecord>,
    beside: Place,
    is_before: bool,
    parts: Vec<Vec<u8>>,
}

/// The edits on the records of a store.
#[derive(Default)]
pub(in crate::repair) struct Draft {
    /// Removed values.
    pub removed: Vec<Place>,
    pub edits: Vec<Edit>,
    /// Insertions, by the start of the element or record beside them.
    pub beside: HashMap<u64, Insertions>,
    /// Elements for empty lists, by the start of the list.
    pub appended: HashMap<u64, Vec<Vec<u8>>>,
    /// Removed stretches of the synthetic text, in order.
    pub removed_ranges: Vec<(u64, u64)>,
    /// Records that change.
    pub records: Vec<Place>,
    /// Where the change of an item edits the store outside of the place that the item was read from, by the start of the
    /// item: its id may be in another member than its text.
    pub apart: HashMap<u64, Place>,
}

pub(super) struct DraftBuilder<'d, 'v> {
    pub(super) view: &'d StoreView<'v>,
    pub(super) editor: &'static Editor,
    pub(super) draft: Draft,
    new: Vec<NewMessage>,
    /// The numbers of the new messages, by the message that they are beside and by whether they come before it.
    new_numbers: HashMap<(Place, bool), usize>,
    faults: Vec<EditFault>,
}

impl Draft {
    pub fn of(
        view: &StoreView<'_>,
        editor: &'static Editor,
        planned: &[PlannedItem<'_>],
    ) -> (Draft, Vec<EditFault>) {
        if view.rows == Some(RowAccess::ReadOnly) {
            return (Draft::default(), planned.iter().map(|one| (one.row.at, ONLY_READ)).collect());
        }
        let mut drafting = DraftBuilder {
            view,
            editor,
            draft: Draft::default(),
            new: Vec::new(),
            new_numbers: HashMap::default(),
            faults: Vec::new(),
        };
        drafting.changes(planned);
        for one in planned {
            one.decision.before.iter().for_each(|insertion| drafting.insert_new(one, insertion, true));
            one.decision.after.iter().for_each(|insertion| drafting.insert_new(one, insertion, false));
        }
        if let ResultStorage::Parts(parts) = editor.results
            && let Err(EditRefusal(why)) = drafting.new_messages(parts)
        {
            drafting.faults.extend(planned.iter().map(|one| (one.row.at, why)));
        }
        (drafting.draft, drafting.faults)
    }
}

impl DraftBuilder<'_, '_> {
    /// Drafts removals, and changes in place.
    fn changes(&mut self, planned: &[PlannedItem<'_>]) {
        let mut goes = Vec::new();
        let mut removed_texts = Vec::new();
        for one in planned {
            let PlannedItem { row, decision, .. } = one;
            if decision.hoisted().is_some() || decision.replaced_by().is_some() {
                self.faults.push((row.at, NOT_HERE));
            }
            if !decision.stays() {
                self.draft.removed_ranges.push((row.at.start, row.at.end()));
                goes.push(*row);
                continue;
            }
            match self.origin_edits(one) {
                Ok(mapped) => {
                    for edit in mapped {
                        match edit {
                            OriginEdit::Replace(edit) => {
                                self.note_apart(row, edit.at);
                                self.draft.edits.push(edit);
                            }
                            OriginEdit::Remove(from, to) => {
                                self.draft.removed_ranges.push((from, to));
                                removed_texts.push((*row, from, to));
                            }
                        }
                    }
                }
                Err(EditRefusal(why)) => self.faults.push((row.at, why)),
            }
        }
        self.draft.removed_ranges.sort_unstable();
        for row in goes {
            let at = self.view.origin(row.at);
            // JSON in a string of a record has no place of its own: the string goes.
            let is_document = matches!(self.view.container, Container::Document { .. });
            let whole = || self.view.origins.whole(row.at).filter(|_| !is_document);
            let found = self.value_at(at).or_else(|| self.value_at(whole()?));
            let at = found.as_ref().map_or(at, |(_, at)| *at);
            let why = match found {
                None => Some(NO_PLACE),
                Some(_) if self.view.origins.keeps(at, &self.draft.removed_ranges) => Some(HOLDS_MORE),
                Some((record, at)) => {
                    let is_whole = !self.view.origins.keeps(record.at, &self.draft.removed_ranges);
                    match self.view.rows.filter(|_| is_whole) {
                        Some(RowAccess::Editable) => Some(ROWS_STAY),
                        Some(RowAccess::Extendable) => Some(FILES_STAY),
                        _ => {
                            self.remove(&record, at);
                            None
                        }
                    }
                }
            };
            self.faults.extend(why.map(|why| (row.at, why)));
        }
        for (row, from, to) in removed_texts {
            let removed = self.view.origins.removable_values(from, to, &self.draft.removed_ranges);
            let places = removed.and_then(|places| {
                let found = |at: Place| self.value_at(at).ok_or(EditRefusal(NO_PLACE));
                places.into_iter().map(found).collect::<Result<Vec<_>, _>>()
            });
            match places {
                Ok(places) => {
                    for (record, at) in places {
                        self.note_apart(row, at);
                        self.remove(&record, at);
                    }
                }
                Err(EditRefusal(why)) => self.faults.push((row.at, why)),
            }
        }
    }

    fn note_apart(&mut self, row: &Row, at: Place) {
        if !self.view.origin(row.at).contains(&at) {
            self.draft.apart.entry(row.at.start).or_insert(at);
        }
    }

    pub(super) fn remove(&mut self, record: &StoreRecord, at: Place) {
        self.draft.records.push(record.at);
        self.draft.removed.push(at);
    }

    /// The value at a place, with its record: the whole string, if the place is the content of a string.
    fn value_at(&self, at: Place) -> Option<(Rc<StoreRecord>, Place)> {
        let record = self.view.record(at)?;
        if record.value(at).is_some() {
            return Some((record, at));
        }
        let quoted = Place::new(at.doc, at.start.checked_sub(1)?, at.len + 2);
        record.value(quoted).is_some_and(|val| val.is_string()).then_some((record, quoted))
    }

    /// The changes to an item that stays, as edits on the store.
    fn origin_edits(
        &mut self,
        PlannedItem { row, decision, dialect }: &PlannedItem<'_>,
    ) -> Result<Vec<OriginEdit>, EditRefusal> {
        if decision.text.is_empty() {
            return Ok(Vec::new());
        }
        let mapped = self.map_changes(*dialect, row, &decision.text)?;
        if let Some(record) = self.view.record(self.view.origin(row.at)) {
            self.draft.records.push(record.at);
        }
        Ok(mapped)
    }

    /// The edits of changes to an item, in the synthetic text.
    pub(super) fn item_edits(
        &self,
        dialect: &'static dyn Dialect,
        row: &Row,
        changes: &[TextChange],
    ) -> Result<Vec<Edit>, EditRefusal> {
        let mut text = Vec::new();
        let read = self.view.bytes.read_into(row.at.start, row.at.len as usize, &mut text);
        read.map_err(|_| EditRefusal(NO_PLACE))?;
        let moved = |at: Place| Place::new(at.doc, at.start + row.at.start, at.len);
        let edits = item_edits(dialect, row.at.doc, &text, changes)?.into_iter().map(|edit| {
            let with = edit.with.into_iter().map(|with| match with {
                ReplacementPart::Copy(at) => ReplacementPart::Copy(moved(at)),
                text => text,
            });
            Edit { at: moved(edit.at), with: with.collect() }
        });
        Ok(edits.collect())
    }

    /// Drafts an insertion beside an item.
    fn insert_new(&mut self, beside: &PlannedItem<'_>, insertion: &Insertion, is_before: bool) {
        let (own, done) = match insertion {
            Insertion::UserMessage(list) => {
                return list.iter().for_each(|insertion| self.insert_new(beside, insertion, is_before));
            }
            Insertion::Stub(call) => (call.at, self.add_result(beside.row, call, is_before)),
            Insertion::Moved(result, changes) => (result.at, self.move_result(beside, result, changes, is_before)),
            _ => (beside.row.at, Err(EditRefusal(NOT_HERE))),
        };
        self.faults.extend(done.err().map(|EditRefusal(why)| (own, why)));
    }

    /// Moves a result from elsewhere.
    fn move_result(
        &mut self,
        beside: &PlannedItem<'_>,
        result: &Row,
        changes: &[TextChange],
        is_before: bool,
    ) -> Result<(), EditRefusal> {
        let at = self.view.origin(result.at);
        let from = self.view.record(at).ok_or(EditRefusal(NO_PLACE))?;
        let whole = match self.editor.results {
            ResultStorage::InCall(_) => return Err(EditRefusal(NOT_HERE)),
            ResultStorage::Messages(_) => from.message(self.editor, at).ok_or(EditRefusal(NO_PLACE))?,
            ResultStorage::Parts(_) => at,
        };
        if self.view.origins.keeps(whole, &self.draft.removed_ranges) {
            return Err(EditRefusal(HOLDS_MORE));
        }
        let edits = self.item_edits(beside.dialect, result, changes)?;
        let text = self.changed(&from, whole, edits)?;
        if whole != at {
            self.remove(&from, whole);
        }
        self.insert(beside.row, text, is_before)
    }

    /// The text of a value of the store after edits on an item in it.
    fn changed(&self, record: &StoreRecord, at: Place, edits: Vec<Edit>) -> Result<Vec<u8>, EditRefusal> {
        let old = record.value(at).ok_or(EditRefusal(NO_PLACE))?.raw();
        let inside = edits.iter().map(|edit| {
            let OriginEdit::Replace(edit) = self.view.origins.map(edit)? else {
                return Err(EditRefusal(NOT_HERE));
            };
            let start = edit.at.start.checked_sub(at.start).ok_or(EditRefusal(NO_PLACE))?;
            Ok(Edit { at: Place::new(DocId(0), start, edit.at.len), ..edit })
        });
        let mut patch = Patch::default();
        patch.add(inside.collect::<Result<Vec<_>, _>>()?);
        Ok(patch.apply(DocId(0), old))
    }

    /// Adds a placeholder result to a call.
    fn add_result(&mut self, row: &Row, call: &Row, is_before: bool) -> Result<(), EditRefusal> {
        let at = self.view.origin(call.at);
        let (record, at) = self.value_at(at).ok_or(EditRefusal(NO_PLACE))?;
        let (root, stored) =
            (record.root().ok_or(EditRefusal(NO_PLACE))?, record.value(at).ok_or(EditRefusal(NO_PLACE))?);
        let base = record.base();
        let message =
            record.message(self.editor, at).and_then(|at| record.value(at)).ok_or(EditRefusal(NO_PLACE))?;
        let open = OpenCall { call: stored, message, record: root, base };
        match self.editor.results {
            ResultStorage::InCall(end) => {
                let mut edits = Vec::new();
                end(&open, &mut edits).ok_or(EditRefusal(NO_ANSWER))?;
                self.draft.records.push(record.at);
                self.draft.edits.append(&mut edits);
                Ok(())
            }
            ResultStorage::Messages(write) => {
                let text = write(&open).ok_or(EditRefusal(NO_ANSWER))?;
                if let Some(is_about) = self.editor.concerns_call.filter(|_| !is_before) {
                    let last = self.last_line_of(&record, &open, is_about);
                    return self.insert_beside(&last, last.at, text, false);
                }
                self.insert(row, text, is_before)
            }
            ResultStorage::Parts(parts) => {
                let text = (parts.part)(&open).ok_or(EditRefusal(NO_ANSWER))?;
                self.insert(row, text, is_before)
            }
        }
    }

    /// The last of the lines after a call that are about it.
    fn last_line_of(
        &self,
        record: &Rc<StoreRecord>,
        call: &OpenCall<'_>,
        is_about: fn(Val<'_>, &OpenCall<'_>) -> bool,
    ) -> Rc<StoreRecord> {
        let (mut last, mut at) = (record.clone(), record.clone());
        for _ in 0..REACH {
            let Some(next) = self.view.next(&at) else { break };
            match next.root() {
                Some(line) if is_about(line, call) => last = next.clone(),
                Some(_) if self.view.is_sent(&next) => break,
                _ => {}
            }
            at = next;
        }
        last
    }

    /// Inserts a result beside the message of an item, or beside the item.
    fn insert(&mut self, row: &Row, text: Vec<u8>, is_before: bool) -> Result<(), EditRefusal> {
        let first = self.view.origin(row.at);
        // A response may be stored in several records: the result is inserted after the last.
        let is_after = !is_before && matches!(self.editor.results, ResultStorage::Messages(_));
        let last = self.view.origins.last(row.at).filter(|last| is_after && last.start > first.start);
        let at = last.unwrap_or(first);
        let record = self.view.record(at).ok_or(EditRefusal(NO_PLACE))?;
        let message = record.message(self.editor, at).ok_or(EditRefusal(NO_PLACE))?;
        match self.editor.results {
            ResultStorage::Parts(parts) => self.insert_part(parts, &record, message, at, text, is_before),
            _ => self.insert_beside(&record, message, text, is_before),
        }
    }

    fn insert_part(
        &mut self,
        parts: &'static PartResults,
        record: &Rc<StoreRecord>,
        message: Place,
        at: Place,
        text: Vec<u8>,
        is_before: bool,
    ) -> Result<(), EditRefusal> {
        let base = record.base();
        let element = |list: Val<'_>| list.elements().map(|one| base.of(one)).find(|one| one.contains(&at));
        if let Some(part) = record.value(message).and_then(parts.list).and_then(element) {
            self.draft.records.push(record.at);
            self.draft.beside.entry(part.start).or_default().insert(text, is_before);
            return Ok(());
        }
        if let Some((next, list)) = self.next_list(parts, record, message).filter(|_| !is_before) {
            self.draft.records.push(next.at);
            let first = next.value(list).and_then(|list| list.elements().next());
            match first.map(|first| next.base().of(first)) {
                Some(first) => self.draft.beside.entry(first.start).or_default().before.push(text),
                None => self.draft.appended.entry(list.start).or_default().push(text),
            }
            return Ok(());
        }
        if self.view.rows.is_some() {
            return Err(EditRefusal(NO_ROWS));
        }
        let number = *self.new_numbers.entry((message, is_before)).or_insert(self.new.len());
        match self.new.get_mut(number) {
            Some(new) => new.parts.push(text),
            None => {
                let record = record.clone();
                self.new.push(NewMessage { record, beside: message, is_before, parts: vec![text] });
            }
        }
        Ok(())
    }

    /// Writes the messages around new parts.
    fn new_messages(&mut self, parts: &PartResults) -> Result<(), EditRefusal> {
        self.new_numbers.clear();
        for NewMessage { record, beside, is_before, parts: list } in std::mem::take(&mut self.new) {
            let near = record.value(beside).ok_or(EditRefusal(NO_PLACE))?;
            let text = (parts.message)(&list.join(&b","[..]), near).ok_or(EditRefusal(NO_ANSWER))?;
            self.insert_beside(&record, beside, text, is_before)?;
        }
        Ok(())
    }

    /// The list of results in the message after this one.
    fn next_list(
        &self,
        parts: &PartResults,
        record: &Rc<StoreRecord>,
        message: Place,
    ) -> Option<(Rc<StoreRecord>, Place)> {
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

    /// Inserts a message beside another one.
    fn insert_beside(
        &mut self,
        record: &Rc<StoreRecord>,
        message: Place,
        text: Vec<u8>,
        is_before: bool,
    ) -> Result<(), EditRefusal> {
        let is_record = !record.is_list(self.editor);
        let mut record = record.clone();
        match self.view.rows.filter(|_| is_record) {
            Some(RowAccess::Extendable) if !is_before => record = self.last_record(record)?,
            Some(RowAccess::Extendable) => return Err(EditRefusal(FILES_STAY)),
            Some(_) => return Err(EditRefusal(NO_ROWS)),
            None => {}
        }
        if is_record
            && matches!(self.view.container, Container::Document { .. })
            && record.text.trim_ascii().contains(&b'\n')
        {
            return Err(EditRefusal(SPREAD));
        }
        self.draft.records.push(record.at);
        let start = if is_record { record.at.start } else { message.start };
        let text = match self.editor.links.filter(|_| is_record) {
            Some(links) => with_name(links, &record, text)?,
            None => text,
        };
        self.draft.beside.entry(start).or_default().insert(text, is_before);
        Ok(())
    }

    /// The last record, if nothing after the given one is sent.
    fn last_record(&self, mut record: Rc<StoreRecord>) -> Result<Rc<StoreRecord>, EditRefusal> {
        while let Some(next) = self.view.next(&record) {
            if self.view.is_sent(&next) {
                return Err(EditRefusal(FILES_STAY));
            }
            record = next;
        }
        Ok(record)
    }
}

/// A new line with a name of its own, the same in each run. A line that has a name keeps it.
fn with_name(links: &LineLinks, after: &StoreRecord, text: Vec<u8>) -> Result<Vec<u8>, EditRefusal> {
    let new = StoreRecord::of_text(text).ok_or(EditRefusal(NO_ANSWER))?;
    let (Some(root), Some(anchor)) = (new.root(), after.root()) else { return Err(EditRefusal(NO_ANSWER)) };
    let is_named = root.get(links.name).is_some_and(|name| name.is_string());
    if is_named || anchor.get(links.name).is_none() {
        return Ok(new.text);
    }
    let name = raw_member(anchor, &[&[links.name]]);
    let one = fingerprint_of(&[name, root.raw()].concat());
    let two = fingerprint_of(&[root.raw(), name].concat());
    let name = string::quoted(&(links.new_name)(one, two));
    Ok(with_members(&new.text, &[(links.name, &name), (links.parent, b"null")]))
}
