//! The reader's other door: the records of a doc as they are, one at a time, in order: lines, or the elements of one
//! array. For who writes records anew, or replays what is none of a provider's items. No more is held than the largest.

use std::io;

use crate::format::{Format, Probe, Record, Slice};
use crate::formats::FORMATS;
use crate::json::edit::Base;
use crate::json::{Tape, Val};
use crate::place::{DocId, Place};
use crate::source::split::{Piece, SplitError, split};
use crate::source::{Container, ReadAt, framing, lines};

use super::detect::{self, Reading};

/// A record, or one that cannot be read.
pub struct Entry<'e> {
    /// Number in the doc, from 1.
    pub number: u32,
    pub place: Place,
    pub base: Base<'e>,
    /// `None` if it is not JSON.
    pub val: Option<Val<'e>>,
    /// Holds a key twice, or half of a pair of surrogates: nothing to be compared.
    pub odd: bool,
    pub format: Option<&'static dyn Format>,
}

impl<'e> Entry<'e> {
    /// The record as its format sees it.
    pub fn record(&self, val: Val<'e>) -> Record<'e> {
        let number = self.number - 1;
        Record { number, val, base: self.base, whole: self.place, slice: Slice::Whole }
    }
}

/// How a doc holds its records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    Lines,
    /// Elements of an array.
    Elements,
    /// One document, or nothing that can be read: there are no records.
    One,
}

/// Hands each record to `take`, which may end the reading by `false`. Records larger than `limit` are passed over; a
/// document that is no array has none.
pub fn each(
    id: DocId,
    bytes: &dyn ReadAt,
    format: Option<&'static dyn Format>,
    limit: u64,
    take: &mut dyn FnMut(&Entry<'_>) -> io::Result<bool>,
) -> io::Result<Held> {
    match framing::sniff(bytes)? {
        Container::Lines { start } => each_line(Lines { id, bytes, format, limit, start }, take),
        Container::Document { start } => {
            let mut first = [0];
            bytes.read_at(start, &mut first)?;
            if first == *b"[" { each_element(id, bytes, format, limit, start, take) } else { Ok(Held::One) }
        }
        _ => Ok(Held::One),
    }
}

struct Lines<'l> {
    id: DocId,
    bytes: &'l dyn ReadAt,
    format: Option<&'static dyn Format>,
    limit: u64,
    start: u64,
}

fn each_line(from: Lines<'_>, take: &mut dyn FnMut(&Entry<'_>) -> io::Result<bool>) -> io::Result<Held> {
    let Lines { id, bytes, start, .. } = from;
    let mut buf = Vec::new();
    let mut tape = Tape::new();
    let mut number = 0;
    let mut reading = from.format.map(Reading::By);
    for n in 0..lines::chunks(bytes.len(), start) {
        let read = lines::read(bytes, start, n, from.limit, &mut buf)?;
        if n == 0 && reading.is_none() {
            reading = detect::of_lines(read.bytes, &[]);
        }
        for (at, line) in lines::split(read.bytes) {
            let skip = framing::before_value(line);
            let (text, at) =
                (line.get(skip..).unwrap_or_default().trim_ascii_end(), read.start + (at + skip) as u64);
            if text.trim_ascii().is_empty() {
                continue;
            }
            number += 1;
            if text.len() as u64 > from.limit {
                continue;
            }
            // Several values on one line are left as they are: no writer of logs makes them.
            let val = crate::json::scan(text, &mut tape).ok().and_then(|()| tape.root(text));
            let format = match (reading, val) {
                (Some(Reading::By(format)), _) => Some(format),
                (_, Some(val)) => detect::of_record(val, None),
                _ => None,
            };
            let place = Place::new(id, at, text.len() as u32);
            let entry = Entry { number, place, base: Base::new(id, at), val, odd: tape.is_odd(), format };
            if !take(&entry)? {
                return Ok(Held::Lines);
            }
        }
        number += u32::from(read.too_long.is_some());
    }
    Ok(Held::Lines)
}

fn each_element(
    id: DocId,
    bytes: &dyn ReadAt,
    format: Option<&'static dyn Format>,
    limit: u64,
    start: u64,
    take: &mut dyn FnMut(&Entry<'_>) -> io::Result<bool>,
) -> io::Result<Held> {
    let mut failed = None;
    let mut found = format;
    let done = split(bytes, id, start, limit, |piece, tape| {
        let Piece::Element { section: "", index, bytes, base } = piece else { return true };
        let val = tape.root(bytes);
        found = found.or_else(|| of_element(val?));
        let place = base.place(0, bytes.len() as u32);
        let entry = Entry { number: index + 1, place, base, val, odd: tape.is_odd(), format: found };
        match take(&entry) {
            Ok(go_on) => go_on,
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    });
    match (failed, done) {
        (Some(error), _) | (None, Err(SplitError::Io(error))) => Err(error),
        // An array that breaks off is left as it is: what was put in place of its elements could not be found again.
        (None, Err(SplitError::Fault(..))) => Ok(Held::One),
        _ => Ok(Held::Elements),
    }
}

/// The format of the elements of an array.
fn of_element(val: Val<'_>) -> Option<&'static dyn Format> {
    let probe = Probe::new(val);
    let best = FORMATS.iter().copied().max_by_key(|format| format.detect(&probe));
    best.filter(|format| format.detect(&probe) >= 50)
}

/// Whether the bytes of a record hold a word. Cheap; what holds it is to be looked at.
pub fn mentions(text: &[u8], word: &str) -> bool {
    memchr::memmem::find(text, word.as_bytes()).is_some()
}
