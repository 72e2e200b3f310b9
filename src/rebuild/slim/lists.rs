//! The lists of a record that may repeat those of an earlier record, and the earlier list that each continues.

use std::collections::VecDeque;
use std::io;

use foldhash::HashMap;

use crate::format::{Format, RemovalUnit};
use crate::json::{Tape, Val, canonical, fingerprint_of, scan, string};
use crate::place::Place;
use crate::source::ReadAt;

/// A list in a record.
pub struct RecordList<'l> {
    /// JSON Pointer from the record; it may lead through a string that contains JSON.
    pub pointer: String,
    pub val: Val<'l>,
    /// The string that contains the list, if one does.
    pub string: Option<Val<'l>>,
}

/// Calls `each` with the lists of a record, by the parts of its format.
pub fn visit_lists(format: &'static dyn Format, root: Val<'_>, each: &mut dyn FnMut(&RecordList<'_>)) {
    let parts =
        format.info().parts.iter().filter(|part| part.unit == RemovalUnit::Element && !part.path.is_empty());
    for part in parts {
        let (mut at, mut steps) = (root, part.path);
        while let Some((key, rest)) = steps.split_first() {
            if at.is_string() {
                visit_embedded_list(at, steps, &format!("/{}", part.path.join("/")), each);
                break;
            }
            let Some(next) = at.get(key) else { break };
            (at, steps) = (next, rest);
            if steps.is_empty() && at.is_array() {
                each(&RecordList { pointer: format!("/{}", part.path.join("/")), val: at, string: None });
            }
        }
    }
}

/// Calls `each` with a list in a string that contains JSON.
fn visit_embedded_list(holder: Val<'_>, path: &[&str], pointer: &str, each: &mut dyn FnMut(&RecordList<'_>)) {
    let Some(text) = holder.text().filter(|text| text.starts_with(b"{")) else { return };
    // The text is written on the line of its record, so it must not contain line ends.
    if text.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return;
    }
    let mut tape = Tape::new();
    if scan(&text, &mut tape).is_err() || tape.is_odd() {
        return;
    }
    if let Some(val) = tape.root(&text).and_then(|root| root.at(path)).filter(|val| val.is_array()) {
        each(&RecordList { pointer: pointer.to_owned(), val, string: Some(holder) });
    }
}

/// A list of an earlier record.
struct EarlierList {
    record: u32,
    pointer: String,
    at: Place,
    embedded: bool,
    /// Fingerprints of its elements.
    fingerprints: Vec<u64>,
}

/// Number of lists that are remembered: interleaved conversations in one log have each their own.
const WINDOW: usize = 16;

/// The last lists of earlier records.
#[derive(Default)]
pub struct ListWindow {
    earlier: VecDeque<EarlierList>,
    /// Fingerprints of values by those of their bytes, so that repeated bytes are parsed once.
    known: HashMap<u64, u64>,
}

/// The earlier list that a list continues.
pub struct SharedPrefix {
    pub record: u32,
    pub pointer: String,
    /// Number of first elements that are the same.
    pub items: u32,
    /// True if their bytes are the same, too.
    pub exact: bool,
}

impl ListWindow {
    /// Fingerprints of the first elements of a list, as far as they are objects, which have a definite end.
    pub fn fingerprints(&mut self, list: Val<'_>) -> Vec<u64> {
        let objects = list.elements().take_while(Val::is_object);
        let print = |element: Val<'_>| {
            let bytes = fingerprint_of(element.raw());
            *self.known.entry(bytes).or_insert_with(|| canonical::hash(element, &[]))
        };
        objects.map(print).collect()
    }

    /// The earlier list that shares the most first elements; the last one among equals. Its text is read again,
    /// and only what is the same there counts.
    pub fn find(
        &self,
        list: &RecordList<'_>,
        own: &[u64],
        bytes: &dyn ReadAt,
    ) -> io::Result<Option<SharedPrefix>> {
        let embedded = list.string.is_some();
        let shared =
            |earlier: &EarlierList| earlier.fingerprints.iter().zip(own).take_while(|(a, b)| a == b).count();
        let candidates = self.earlier.iter().filter(|earlier| earlier.embedded == embedded);
        let best = candidates.map(|earlier| (shared(earlier), earlier)).max_by_key(|(shared, _)| *shared);
        let Some((shared, earlier)) = best.filter(|(shared, _)| *shared > 0) else { return Ok(None) };
        let (items, exact) = earlier.count_shared(list, shared as u32, bytes)?;
        let found = SharedPrefix { record: earlier.record, pointer: earlier.pointer.clone(), items, exact };
        Ok((items > 0).then_some(found))
    }

    pub fn push(&mut self, record: u32, list: &RecordList<'_>, at: Place, fingerprints: Vec<u64>) {
        if self.earlier.len() == WINDOW {
            self.earlier.pop_front();
        }
        let embedded = list.string.is_some();
        self.earlier.push_back(EarlierList { record, pointer: list.pointer.clone(), at, embedded, fingerprints });
    }
}

impl EarlierList {
    /// The number of the first `items` elements that are the same in the text, and true if they are to the last
    /// byte.
    fn count_shared(&self, list: &RecordList<'_>, items: u32, bytes: &dyn ReadAt) -> io::Result<(u32, bool)> {
        let mut text = Vec::new();
        bytes.read_into(self.at.start, self.at.len as usize, &mut text)?;
        if self.embedded {
            let written = list.string.is_some_and(|holder| {
                let text = holder.text().unwrap_or_default();
                string::quoted(&String::from_utf8_lossy(&text)) == holder.raw()
            });
            return Ok((self.count_shared_in_text(list, items, &string::decode(&text)), written));
        }
        let run = elements_text(list.val, items);
        // Usually the bytes are the same, and nothing has to be parsed.
        let before = text.iter().position(|byte| *byte == b'{').unwrap_or(text.len());
        if text.split_at(before).1.starts_with(run) {
            return Ok((items, true));
        }
        let mut tape = Tape::new();
        if scan(&text, &mut tape).is_err() {
            return Ok((0, false));
        }
        let elements = tape.root(&text).into_iter().flat_map(|root| root.elements());
        let same = elements.zip(list.val.elements()).take(items as usize);
        let count = same.take_while(|(a, b)| canonical::is_equal(*a, *b)).count() as u32;
        let exact = tape
            .root(&text)
            .is_some_and(|root| self::elements_text(root, count) == self::elements_text(list.val, count));
        Ok((count, exact))
    }

    /// In a string every byte must be restored, so it is all or nothing.
    fn count_shared_in_text(&self, list: &RecordList<'_>, items: u32, text: &[u8]) -> u32 {
        let mut tape = Tape::new();
        let Some(root) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) else { return 0 };
        let found = resolve_embedded(root, &self.pointer).filter(|found| found.count() >= items);
        match found {
            Some(found) if elements_text(found, items) == elements_text(list.val, items) => items,
            _ => 0,
        }
    }
}

/// The text of the first `items` elements of a list, which must have that many.
pub fn elements_text(list: Val<'_>, items: u32) -> &[u8] {
    elements_span(list, items)
        .and_then(|(from, to)| list.record().get(from as usize..to as usize))
        .unwrap_or_default()
}

/// The start and end of that text in the record.
pub fn elements_span(list: Val<'_>, items: u32) -> Option<(u32, u32)> {
    let first = list.elements().next()?;
    let last = list.elements().nth((items as usize).checked_sub(1)?)?;
    Some((first.start(), last.end()))
}

/// The list in the text of a string, by the steps of a pointer that are inside of it.
fn resolve_embedded<'t>(root: Val<'t>, pointer: &str) -> Option<Val<'t>> {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    (1..steps.len()).rev().find_map(|from| root.at(steps.get(from..)?).filter(|val| val.is_array()))
}

/// The place from which a list is read again: its own, or that of the string that contains it, without quotes.
pub fn source_place(list: &RecordList<'_>, base: crate::json::edit::RecordBase<'_>) -> Place {
    match list.string {
        Some(holder) => base.place(holder.start() + 1, holder.end() - 1),
        None => base.of(list.val),
    }
}
