//! A store as the repair sees it: the synthetic text, and its records, read on demand.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::format::Editor;
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Place};
use crate::source::{ByteHints, Container, ReadAt, RowAccess, lines};

use super::origin_map::OriginMap;

/// Where a record is, and the record; `None` if it cannot be read.
type CachedRecord = (Place, Option<Rc<StoreRecord>>);

/// A store, with its synthetic text.
pub(in crate::repair) struct StoreView<'v> {
    pub id: DocId,
    pub bytes: &'v dyn ReadAt,
    pub container: Container,
    pub origins: OriginMap<'v>,
    /// What can be done to its records, if they are rows of a database, or files.
    pub rows: Option<RowAccess>,
    /// The records read so far, by their start; `None` for unreadable ones.
    records: RefCell<BTreeMap<u64, CachedRecord>>,
}

/// A record, with the end of its line.
pub(in crate::repair) struct StoreRecord {
    pub at: Place,
    pub text: Vec<u8>,
    tape: Tape,
    /// The messages, if the record contains a list of them.
    messages: OnceCell<Option<Vec<Place>>>,
}

impl StoreRecord {
    fn of(at: Place, text: Vec<u8>) -> Option<StoreRecord> {
        let mut tape = Tape::new();
        scan(&text, &mut tape).ok()?;
        Some(StoreRecord { at, text, tape, messages: OnceCell::new() })
    }

    /// A record that was just written.
    pub fn of_text(text: Vec<u8>) -> Option<StoreRecord> {
        StoreRecord::of(Place::new(DocId(0), 0, u32::try_from(text.len()).ok()?), text)
    }

    pub fn root(&self) -> Option<Val<'_>> {
        self.tape.root(&self.text)
    }

    pub fn base(&self) -> RecordBase<'static> {
        RecordBase::new(self.at.doc, self.at.start)
    }

    /// The value at a place.
    pub fn value(&self, at: Place) -> Option<Val<'_>> {
        let from = u32::try_from(at.start.checked_sub(self.at.start)?).ok()?;
        self.tape.at(&self.text, from, from.checked_add(at.len)?)
    }

    /// The places of its messages; `None` if it is a message itself.
    fn messages(&self, editor: &Editor) -> Option<&[Place]> {
        let base = self.base();
        let list = || (editor.messages)(self.root()?);
        let places = |list: Val<'_>| list.elements().map(|one| base.of(one)).collect();
        self.messages.get_or_init(|| list().map(places)).as_deref()
    }

    /// The message that contains a place.
    pub fn message(&self, editor: &Editor, at: Place) -> Option<Place> {
        let Some(list) = self.messages(editor) else { return self.root().map(|root| self.base().of(root)) };
        let ix = list.partition_point(|one| one.start <= at.start).checked_sub(1)?;
        list.get(ix).copied().filter(|one| one.contains(&at))
    }

    /// The message after one, if there is one; `None` if the record is a message itself.
    pub fn message_after(&self, editor: &Editor, message: Place) -> Option<Option<Place>> {
        let list = self.messages(editor)?;
        Some(list.get(list.partition_point(|one| one.start <= message.start)).copied())
    }

    /// True if it contains a list of messages.
    pub fn is_list(&self, editor: &Editor) -> bool {
        self.messages(editor).is_some()
    }
}

impl<'v> StoreView<'v> {
    /// `None` if the doc has no synthetic text.
    pub fn of(id: DocId, bytes: &'v dyn ReadAt) -> Option<StoreView<'v>> {
        let made = bytes.synthetic_slot()?.get()?;
        let rows = match bytes.hints() {
            Some(ByteHints::Lines { rows, .. }) => Some(rows),
            _ => None,
        };
        let (container, origins) = (made.container(), OriginMap::new(made));
        Some(StoreView { id, bytes, container, origins, rows, records: RefCell::default() })
    }

    /// The origin of a place of the synthetic text.
    pub fn origin(&self, at: Place) -> Place {
        self.bytes.origin(at)
    }

    /// The record that contains a place; `None` if it cannot be read.
    pub fn record(&self, at: Place) -> Option<Rc<StoreRecord>> {
        let mut records = self.records.borrow_mut();
        let known = records.range(..=at.start).next_back().map(|(_, known)| known);
        if let Some((_, record)) = known.filter(|(whole, _)| at.start < whole.end() && whole.contains(&at)) {
            return record.clone();
        }
        let whole = match self.container {
            Container::Document { start } => {
                Place::new(self.id, start, u32::try_from(self.bytes.len() - start).ok()?)
            }
            Container::Lines { start } => lines::line_at(self.bytes, self.id, start, at.start).ok()?,
            _ => return None,
        };
        if !whole.contains(&at) {
            return None;
        }
        let read = || {
            let mut text = Vec::new();
            self.bytes.read_into(whole.start, whole.len as usize, &mut text).ok()?;
            StoreRecord::of(whole, text).map(Rc::new)
        };
        records.entry(whole.start).or_insert_with(|| (whole, read())).1.clone()
    }

    /// True if something of a record is sent.
    pub fn is_sent(&self, record: &StoreRecord) -> bool {
        self.origins.keeps(record.at, &[])
    }

    /// The line after a record.
    pub fn next(&self, record: &StoreRecord) -> Option<Rc<StoreRecord>> {
        let is_lines = matches!(self.container, Container::Lines { .. });
        (is_lines && record.at.end() < self.bytes.len())
            .then(|| self.record(Place::new(self.id, record.at.end(), 0)))
            .flatten()
    }
}
