//! Iteration over the raw records of a doc, in order: lines, or the elements of one array. For commands that
//! rewrite records, or rebuild requests from records without items of a provider. Only one record is in memory at
//! a time.

use std::io;

use crate::format::{Format, Probe, Record, Slice};
use crate::formats::FORMATS;
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val};
use crate::place::{DocId, Place};
use crate::source::split::{DocumentPiece, SplitError, split};
use crate::source::{Container, ReadAt, framing, lines};

use super::detect::{self, RecordReading};

/// A record, or one that cannot be read.
pub struct RecordEntry<'e> {
    /// Number in the doc, from 1.
    pub number: u32,
    pub place: Place,
    pub base: RecordBase<'e>,
    /// `None` if it is not JSON.
    pub val: Option<Val<'e>>,
    /// Contains a duplicate key or a lone surrogate, so it must not be compared.
    pub odd: bool,
    pub format: Option<&'static dyn Format>,
}

impl<'e> RecordEntry<'e> {
    /// The record as its format sees it.
    pub fn record(&self, val: Val<'e>) -> Record<'e> {
        let number = self.number - 1;
        Record { number, val, base: self.base, extent: self.place, slice: Slice::Whole }
    }
}

/// The layout of the records of a doc.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordLayout {
    Lines,
    /// Elements of an array.
    Elements,
    /// One document, or nothing readable: there are no records.
    SingleDocument,
}

/// Calls `take` with each record until it returns `false`. Records larger than `limit` are skipped; a document
/// that is not an array has none.
pub fn for_each(
    id: DocId,
    bytes: &dyn ReadAt,
    format: Option<&'static dyn Format>,
    limit: u64,
    take: &mut dyn FnMut(&RecordEntry<'_>) -> io::Result<bool>,
) -> io::Result<RecordLayout> {
    match framing::sniff(bytes)? {
        Container::Lines { start } => each_line(LineSource { id, bytes, format, limit, start }, take),
        Container::Document { start } => {
            let mut first = [0];
            bytes.read_at(start, &mut first)?;
            if first == *b"[" {
                each_element(id, bytes, format, limit, start, take)
            } else {
                Ok(RecordLayout::SingleDocument)
            }
        }
        _ => Ok(RecordLayout::SingleDocument),
    }
}

/// Calls `take` with each record until it returns `false`. A document that is no array is one record, and so is a log of one
/// line, which looks like a document.
pub fn each_value(
    id: DocId,
    bytes: &dyn ReadAt,
    limit: u64,
    take: &mut dyn FnMut(Val<'_>, RecordBase<'_>) -> bool,
) -> io::Result<()> {
    let layout =
        for_each(id, bytes, None, limit, &mut |entry| Ok(entry.val.is_none_or(|val| take(val, entry.base))))?;
    if let (RecordLayout::SingleDocument, Container::Document { start }) = (layout, framing::sniff(bytes)?)
        && bytes.len() - start <= limit
    {
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
        if let Some(root) = crate::json::scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) {
            take(root, RecordBase::new(id, start));
        }
    }
    Ok(())
}

struct LineSource<'l> {
    id: DocId,
    bytes: &'l dyn ReadAt,
    format: Option<&'static dyn Format>,
    limit: u64,
    start: u64,
}

fn each_line(
    from: LineSource<'_>,
    take: &mut dyn FnMut(&RecordEntry<'_>) -> io::Result<bool>,
) -> io::Result<RecordLayout> {
    let LineSource { id, bytes, start, .. } = from;
    let mut buf = Vec::new();
    let mut tape = Tape::new();
    let mut number = 0;
    let reading = match from.format {
        Some(format) => Some(RecordReading::Format(format)),
        None => detect::of_first_lines(bytes, start, from.limit)?,
    };
    for n in 0..lines::chunk_count(bytes.len(), start) {
        let read = lines::read_chunk(bytes, start, n, from.limit, &mut buf)?;
        for (at, line) in lines::split(read.bytes) {
            let skip = framing::value_offset(line);
            let (text, at) =
                (line.get(skip..).unwrap_or_default().trim_ascii_end(), read.start + (at + skip) as u64);
            if text.trim_ascii().is_empty() {
                continue;
            }
            number += 1;
            if text.len() as u64 > from.limit {
                continue;
            }
            // Several values on one line are not read: no writer of logs writes them.
            let val = crate::json::scan(text, &mut tape).ok().and_then(|()| tape.root(text));
            let format = match (reading, val) {
                (Some(RecordReading::Format(format)), _) => Some(format),
                (_, Some(val)) => detect::of_record(val, None),
                _ => None,
            };
            let place = Place::new(id, at, text.len() as u32);
            let entry =
                RecordEntry { number, place, base: RecordBase::new(id, at), val, odd: tape.is_odd(), format };
            if !take(&entry)? {
                return Ok(RecordLayout::Lines);
            }
        }
        number += u32::from(read.too_long.is_some());
    }
    Ok(RecordLayout::Lines)
}

fn each_element(
    id: DocId,
    bytes: &dyn ReadAt,
    format: Option<&'static dyn Format>,
    limit: u64,
    start: u64,
    take: &mut dyn FnMut(&RecordEntry<'_>) -> io::Result<bool>,
) -> io::Result<RecordLayout> {
    let mut failed = None;
    let mut found = format;
    let done = split(bytes, id, start, limit, |piece, tape| {
        let DocumentPiece::Element { section: "", index, bytes, base } = piece else { return true };
        let val = tape.root(bytes);
        found = found.or_else(|| of_element(val?));
        let place = base.place(0, bytes.len() as u32);
        let entry = RecordEntry { number: index + 1, place, base, val, odd: tape.is_odd(), format: found };
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
        // A truncated array is not changed: references in it could not be resolved.
        (None, Err(SplitError::Fault(..))) => Ok(RecordLayout::SingleDocument),
        _ => Ok(RecordLayout::Elements),
    }
}

/// The format of the elements of an array.
fn of_element(val: Val<'_>) -> Option<&'static dyn Format> {
    let probe = Probe::new(val);
    let best = FORMATS.iter().copied().max_by_key(|format| format.detect(&probe));
    best.filter(|format| format.detect(&probe) >= 50)
}

/// True if the bytes of a record contain a word: a cheap filter before parsing.
pub fn mentions(text: &[u8], word: &str) -> bool {
    memchr::memmem::find(text, word.as_bytes()).is_some()
}
