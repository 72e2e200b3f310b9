//! The lists of a record that may repeat what an earlier record holds, and which of the earlier ones each goes on from.

use std::collections::{HashMap, VecDeque};
use std::io;

use crate::format::{Format, Unit};
use crate::json::{Tape, Val, canonical, fingerprint_of, scan, string};
use crate::place::Place;
use crate::source::ReadAt;

/// A list in a record.
pub struct List<'l> {
    /// JSON Pointer from the record; it may lead through a string that holds JSON.
    pub pointer: String,
    pub val: Val<'l>,
    /// The string that the list lies in.
    pub string: Option<Val<'l>>,
}

/// Lists that a format's records hold, by its parts. `text` and `tape` take the JSON that a string holds.
pub fn of_record(format: &'static dyn Format, root: Val<'_>, each: &mut dyn FnMut(&List<'_>)) {
    let parts = format.info().parts.iter().filter(|part| part.unit == Unit::Element && !part.path.is_empty());
    for part in parts {
        let (mut at, mut steps) = (root, part.path);
        while let Some((key, rest)) = steps.split_first() {
            if at.is_string() {
                embedded(at, steps, &format!("/{}", part.path.join("/")), each);
                break;
            }
            let Some(next) = at.get(key) else { break };
            (at, steps) = (next, rest);
            if steps.is_empty() && at.is_array() {
                each(&List { pointer: format!("/{}", part.path.join("/")), val: at, string: None });
            }
        }
    }
}

/// A list in a string that holds JSON.
fn embedded(holder: Val<'_>, path: &[&str], pointer: &str, each: &mut dyn FnMut(&List<'_>)) {
    let Some(text) = holder.text().filter(|text| text.starts_with(b"{")) else { return };
    // The text comes to stand on its record's line, so it must have none of its own.
    if text.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return;
    }
    let mut tape = Tape::new();
    if scan(&text, &mut tape).is_err() || tape.is_odd() {
        return;
    }
    if let Some(val) = tape.root(&text).and_then(|root| root.at(path)).filter(|val| val.is_array()) {
        each(&List { pointer: pointer.to_owned(), val, string: Some(holder) });
    }
}

/// A list that was passed.
struct Passed {
    record: u32,
    pointer: String,
    at: Place,
    embedded: bool,
    /// Fingerprints of its elements.
    prints: Vec<u64>,
}

/// How many lists are remembered: conversations that take turns in one log have each their own.
const WINDOW: usize = 16;

/// The lists that were passed last.
#[derive(Default)]
pub struct Window {
    passed: VecDeque<Passed>,
    /// Fingerprints by those of the bytes: what is repeated is read as JSON once.
    known: HashMap<u64, u64>,
}

/// The list that another goes on from.
pub struct Found {
    pub record: u32,
    pub pointer: String,
    /// So many first elements are the same.
    pub items: u32,
    /// Their bytes are, too.
    pub exact: bool,
}

impl Window {
    /// Fingerprints of the first elements of a list, as far as they are objects: those end where they end.
    pub fn prints(&mut self, list: Val<'_>) -> Vec<u64> {
        let objects = list.elements().take_while(Val::is_object);
        let print = |element: Val<'_>| {
            let bytes = fingerprint_of(element.raw());
            *self.known.entry(bytes).or_insert_with(|| canonical::hash(element, &[]))
        };
        objects.map(print).collect()
    }

    /// The passed list that shares the most first elements; the last one among equals. Its text is read again, and only
    /// what is the same there counts.
    pub fn find(&self, list: &List<'_>, own: &[u64], bytes: &dyn ReadAt) -> io::Result<Option<Found>> {
        let embedded = list.string.is_some();
        let shared = |passed: &Passed| passed.prints.iter().zip(own).take_while(|(a, b)| a == b).count();
        let candidates = self.passed.iter().filter(|passed| passed.embedded == embedded);
        let best = candidates.map(|passed| (shared(passed), passed)).max_by_key(|(shared, _)| *shared);
        let Some((shared, passed)) = best.filter(|(shared, _)| *shared > 0) else { return Ok(None) };
        let (items, exact) = passed.verified(list, shared as u32, bytes)?;
        let found = Found { record: passed.record, pointer: passed.pointer.clone(), items, exact };
        Ok((items > 0).then_some(found))
    }

    pub fn push(&mut self, record: u32, list: &List<'_>, at: Place, prints: Vec<u64>) {
        if self.passed.len() == WINDOW {
            self.passed.pop_front();
        }
        let embedded = list.string.is_some();
        self.passed.push_back(Passed { record, pointer: list.pointer.clone(), at, embedded, prints });
    }
}

impl Passed {
    /// How many of the first `items` elements are the same in the text, and whether to the last byte.
    fn verified(&self, list: &List<'_>, items: u32, bytes: &dyn ReadAt) -> io::Result<(u32, bool)> {
        let mut text = Vec::new();
        bytes.read_into(self.at.start, self.at.len as usize, &mut text)?;
        if self.embedded {
            let written = list.string.is_some_and(|holder| {
                let text = holder.text().unwrap_or_default();
                string::quoted(&String::from_utf8_lossy(&text)) == holder.raw()
            });
            return Ok((self.verified_text(list, items, &string::decode(&text)), written));
        }
        let run = run(list.val, items);
        // Most often the bytes are the same, and nothing has to be read.
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
        let count = same.take_while(|(a, b)| canonical::same(*a, *b)).count() as u32;
        let exact = tape.root(&text).is_some_and(|root| self::run(root, count) == self::run(list.val, count));
        Ok((count, exact))
    }

    /// In a string every byte must come back, so that of less than all nothing is taken.
    fn verified_text(&self, list: &List<'_>, items: u32, text: &[u8]) -> u32 {
        let mut tape = Tape::new();
        let Some(root) = scan(text, &mut tape).ok().and_then(|()| tape.root(text)) else { return 0 };
        let found = inside(root, &self.pointer).filter(|found| found.count() >= items);
        match found {
            Some(found) if run(found, items) == run(list.val, items) => items,
            _ => 0,
        }
    }
}

/// The text of the first elements of a list, from the first to the last of them. There must be so many.
pub fn run(list: Val<'_>, items: u32) -> &[u8] {
    span(list, items).and_then(|(from, to)| list.record().get(from as usize..to as usize)).unwrap_or_default()
}

/// Where that text is in the record.
pub fn span(list: Val<'_>, items: u32) -> Option<(u32, u32)> {
    let first = list.elements().next()?;
    let last = list.elements().nth((items as usize).checked_sub(1)?)?;
    Some((first.start(), last.end()))
}

/// The list in a text at the end of a pointer that leads through a string: whatever of its steps lie inside.
fn inside<'t>(root: Val<'t>, pointer: &str) -> Option<Val<'t>> {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    (1..steps.len()).rev().find_map(|from| root.at(steps.get(from..)?).filter(|val| val.is_array()))
}

/// The place of what a list is read again from: itself, or the string that it lies in, without its quotes.
pub fn source(list: &List<'_>, base: crate::json::edit::Base<'_>) -> Place {
    match list.string {
        Some(holder) => base.place(holder.start() + 1, holder.end() - 1),
        None => base.of(list.val),
    }
}
