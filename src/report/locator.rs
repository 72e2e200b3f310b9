//! From places to lines, columns and pointers; all places of a document in one pass.

use std::io;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use crate::history::Flags;
use crate::json::edit::RecordBase;
use crate::json::locate::Cursor;
use crate::json::pointer::{self, PointerFinder};
use crate::json::string::Decoder;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Place};
use crate::source::damage::{self, RecoveredPart};
use crate::source::split::{DocumentPiece, split};
use crate::source::{CachedReader, Container, ReadAt, framing};

use super::{Location, mask};

/// Converts offsets to lines and columns, fastest in ascending order.
pub(super) struct Locator<'r> {
    bytes: &'r dyn ReadAt,
    /// Starts and numbers of lines that are known.
    known: &'r [(u64, u64)],
    cursor: Cursor,
    buf: Vec<u8>,
}

impl<'r> Locator<'r> {
    pub fn new(bytes: &'r dyn ReadAt, known: &'r [(u64, u64)]) -> Self {
        Locator { bytes, known, cursor: Cursor::default(), buf: Vec::new() }
    }

    /// Line and column of each offset.
    pub fn all(&mut self, mut offsets: Vec<u64>) -> io::Result<HashMap<u64, (u64, u64)>> {
        offsets.sort_unstable();
        offsets.dedup();
        let mut found = HashMap::with_capacity(offsets.len());
        for offset in offsets {
            found.insert(offset, self.locate(offset)?);
        }
        Ok(found)
    }

    fn locate(&mut self, offset: u64) -> io::Result<(u64, u64)> {
        if offset < self.cursor.offset {
            self.cursor = Cursor::default();
        }
        let nearest = self.known.partition_point(|(start, _)| *start <= offset);
        if let Some((start, line)) = nearest.checked_sub(1).and_then(|ix| self.known.get(ix)).copied()
            && start > self.cursor.offset
        {
            self.cursor = Cursor::at_line(start, line);
        }
        while self.cursor.offset < offset {
            let want = (offset - self.cursor.offset).min(STEP) as usize;
            if self.buf.len() < want {
                self.buf.resize(want, 0);
            }
            let Some(part) = self.buf.get_mut(..want) else { break };
            let n = self.bytes.read_at(self.cursor.offset, part)?;
            if n == 0 {
                break;
            }
            self.cursor.advance(part.get(..n).unwrap_or_default());
        }
        Ok((self.cursor.line, self.cursor.column))
    }
}

/// Bytes that are read at a time to count lines.
const STEP: u64 = 256 << 10;

/// Lines and columns of offsets, in one pass forward.
pub fn positions(
    bytes: &dyn ReadAt,
    known: &[(u64, u64)],
    offsets: Vec<u64>,
) -> io::Result<HashMap<u64, (u64, u64)>> {
    Locator::new(bytes, known).all(offsets)
}

/// The pointer of a place, and the pointer within the JSON string there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    pub outer: String,
    pub inner: Option<String>,
    /// The place of the string that contains the place.
    pub string: Option<Place>,
}

/// The pointers of places of one document, each given with the flags of its row.
pub fn pointers(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    wanted: &[(Place, Flags)],
) -> io::Result<HashMap<Place, Pointer>> {
    // Synthesised text is located by its source.
    let origin = |place: &Place| bytes.origin(*place);
    let mut sorted: Vec<(Place, Flags)> = wanted.iter().map(|(place, flags)| (origin(place), *flags)).collect();
    sorted.sort_by_key(|(place, _)| place.order());
    let mut found = HashMap::with_capacity(wanted.len());
    let cached = CachedReader::new(bytes, container, &[]);
    visit_records(id, &cached, container, &sorted, &mut LastRecord::default(), &mut |record| {
        found.extend(record.pointers.drain());
        Ok(())
    })?;
    for (place, _) in wanted {
        if let Some(of) = found.get(&origin(place)).filter(|_| origin(place) != *place) {
            found.insert(*place, of.clone());
        }
    }
    Ok(found)
}

/// The locations of places, each given with the flags of its row.
pub(super) fn locate_places(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    lines: &[(u64, u64)],
    wanted: &[(Place, Flags)],
) -> io::Result<HashMap<Place, Location>> {
    let origin = |place: &Place| bytes.origin(*place);
    let mut sorted: Vec<(Place, Flags)> = wanted.iter().map(|(place, flags)| (origin(place), *flags)).collect();
    sorted.sort_by_key(|(place, _)| place.order());
    let cached = CachedReader::new(bytes, container, lines);
    let mut locator = Locator::new(&cached, lines);
    let mut found: HashMap<Place, Location> = HashMap::with_capacity(wanted.len());
    visit_records(id, &cached, container, &sorted, &mut LastRecord::default(), &mut |record| {
        let places = sorted.get(record.range.clone()).unwrap_or_default();
        let positions = locator.all(places.iter().flat_map(|(at, _)| [at.start, at.end()]).collect())?;
        for (at, _) in places {
            let pointer = record.pointers.remove(at).unwrap_or_default().outer;
            found.entry(*at).or_insert_with(|| Location { pointer, ..Location::new(*at, &positions) });
        }
        Ok(())
    })?;
    let all = wanted.iter().map(|(place, _)| (*place, found.get(&origin(place)).cloned().unwrap_or_default()));
    Ok(all.collect())
}

/// Bytes of the longest element that is read for a pointer, if an element was skipped for its length.
const UNREAD: u64 = 1 << 30;

/// A record, and the places in it.
pub(super) struct RecordPlaces<'p, 't> {
    /// The numbers of its places, in the order in which they were given.
    pub range: Range<usize>,
    pub pointers: &'p mut HashMap<Place, Pointer>,
    /// Its scanned value and its base; `None` if it is not JSON.
    pub scanned: Option<(&'p PointerFinder<'t>, RecordBase<'t>)>,
}

/// The record that was scanned last. A document is one, and is asked for once for each batch of findings.
#[derive(Default)]
pub(super) struct LastRecord {
    at: Option<Place>,
    text: Vec<u8>,
    tape: Tape,
}

impl LastRecord {
    /// A record, and its value; `None` if it is damaged.
    fn scan(&mut self, bytes: &dyn ReadAt, at: Place) -> io::Result<(RecordBase<'_>, Option<Val<'_>>)> {
        let LastRecord { at: known, text, tape } = self;
        let is_known = *known == Some(at);
        if !is_known {
            *known = None;
            bytes.read_into(at.start, at.len as usize, text)?;
        }
        let skip = framing::value_offset(text);
        let own = text.get(skip..).unwrap_or_default();
        let base = RecordBase::new(at.doc, at.start + skip as u64);
        if !is_known && scan(own, tape).is_ok() {
            *known = Some(at);
        }
        Ok((base, known.and_then(|_| tape.root(own))))
    }
}

/// Calls `see` with each record that contains some of the sorted places: each is read and scanned once. A document that
/// cannot be split into records is one.
pub(super) fn visit_records(
    id: DocId,
    bytes: &CachedReader<'_>,
    container: Container,
    sorted: &[(Place, Flags)],
    last: &mut LastRecord,
    see: &mut dyn FnMut(RecordPlaces<'_, '_>) -> io::Result<()>,
) -> io::Result<()> {
    let is_lines = matches!(container, Container::Lines { .. });
    let mut in_record = |record: Option<Place>, range: Range<usize>| -> io::Result<()> {
        let Some(record) = record else {
            return see(RecordPlaces { range, pointers: &mut HashMap::default(), scanned: None });
        };
        let places = sorted.get(range.clone()).unwrap_or_default();
        let (base, root) = last.scan(bytes, record)?;
        let mut found = HashMap::with_capacity(places.len());
        let Some(root) = root else {
            if is_lines {
                find_in_damaged_line(bytes, record, places, &mut found)?;
            }
            return see(RecordPlaces { range, pointers: &mut found, scanned: None });
        };
        let finder = PointerFinder::new(root);
        for (place, flags) in places {
            found.insert(*place, pointer_in(&finder, base, *place, *flags, ""));
        }
        see(RecordPlaces { range, pointers: &mut found, scanned: Some((&finder, base)) })
    };
    match container {
        Container::Lines { start } | Container::Events { start } => {
            let mut at = 0;
            while let Some((first, flags)) = sorted.get(at) {
                if flags.has(Flags::UNREAD) {
                    in_record(None, at..at + 1)?;
                    at += 1;
                    continue;
                }
                let line = bytes.line_around(id, start, first.start)?;
                let end = line.end().max(first.start + 1);
                let next = sorted.partition_point(|(place, _)| place.start < end).max(at + 1);
                in_record(Some(line), at..next)?;
                at = next;
            }
            Ok(())
        }
        Container::Document { start } if bytes.len() - start <= framing::MAX_WHOLE_DOCUMENT => {
            bytes.cache_record(start)?;
            in_record(Some(Place::new(id, start, (bytes.len() - start) as u32)), 0..sorted.len())
        }
        Container::Document { start } => {
            let mut found = HashMap::with_capacity(sorted.len());
            let is_unread = sorted.iter().any(|(_, flags)| flags.has(Flags::UNREAD));
            let limit = if is_unread { UNREAD } else { u64::MAX / 2 };
            let count = sorted.chunk_by(|(one, _), (other, _)| one == other).count();
            // A fault in the document ends the split early: what is after it has no pointer.
            let _ = split(bytes, id, start, limit, |piece, tape| {
                find_in_piece(piece, tape, sorted, &mut found);
                found.len() < count
            });
            see(RecordPlaces { range: 0..sorted.len(), pointers: &mut found, scanned: None })
        }
        _ => see(RecordPlaces { range: 0..sorted.len(), pointers: &mut HashMap::default(), scanned: None }),
    }
}

/// Finds the pointers of places in the values of a damaged line.
fn find_in_damaged_line(
    bytes: &dyn ReadAt,
    line: Place,
    places: &[(Place, Flags)],
    found: &mut HashMap<Place, Pointer>,
) -> io::Result<()> {
    let mut text = Vec::new();
    let mut len = u64::from(line.len);
    // A value that is spread over more lines ends soon, or not at all.
    let parts = loop {
        let is_end = line.start + len >= bytes.len();
        bytes.read_into(line.start, len as usize, &mut text)?;
        let found = damage::recover(&text, is_end, &|val| val.is_object());
        if !found.needs_more || is_end {
            break found.parts;
        }
        len = (len + (4 << 10)).saturating_mul(4).min(bytes.len() - line.start);
    };
    let mut tape = Tape::new();
    for part in parts {
        let RecoveredPart::Value(span, escaped) = part else { continue };
        let from = line.start + span.start as u64;
        let runs = escaped.as_ref().map(|escaped| escaped.runs_from(from)).unwrap_or_default();
        let (own, base) = match &escaped {
            Some(escaped) => (&escaped.text[..], RecordBase::of_runs(line.doc, &runs)),
            None => (text.get(span.clone()).unwrap_or_default(), RecordBase::new(line.doc, from)),
        };
        let whole = Place::new(line.doc, from, span.len() as u32);
        let Some(root) = scan(own, &mut tape).ok().and_then(|()| tape.root(own)) else { continue };
        let finder = PointerFinder::new(root);
        let first = places.partition_point(|(place, _)| place.start < whole.start);
        for (place, flags) in places.iter().skip(first).take_while(|(place, _)| place.start < whole.end()) {
            found.insert(*place, pointer_in(&finder, base, *place, *flags, ""));
        }
    }
    Ok(())
}

fn find_in_piece(
    piece: DocumentPiece<'_>,
    tape: &Tape,
    sorted: &[(Place, Flags)],
    found: &mut HashMap<Place, Pointer>,
) {
    match piece {
        DocumentPiece::Element { section, index, bytes, base } => {
            let Some(root) = tape.root(bytes) else { return };
            let own = base.of(root);
            let from = sorted.partition_point(|(place, _)| place.start < own.start);
            let finder = PointerFinder::new(root);
            let mut prefix = String::new();
            if !section.is_empty() {
                pointer::push_key(&mut prefix, section);
            }
            pointer::push_index(&mut prefix, index as usize);
            for (place, flags) in sorted.iter().skip(from).take_while(|(place, _)| place.start < own.end()) {
                found.insert(*place, pointer_in(&finder, base, *place, *flags, &prefix));
            }
        }
        DocumentPiece::Head { bytes, base } => {
            let Some(root) = tape.root(bytes) else { return };
            let finder = PointerFinder::new(root);
            for (place, flags) in sorted {
                if !found.contains_key(place) {
                    found.insert(*place, pointer_in(&finder, base, *place, *flags, ""));
                }
            }
        }
    }
}

fn pointer_in(
    finder: &PointerFinder<'_>,
    base: RecordBase<'_>,
    place: Place,
    flags: Flags,
    prefix: &str,
) -> Pointer {
    let (Some(start), end) = (base.relative(place.start), base.relative(place.end().max(1) - 1)) else {
        return Pointer::default();
    };
    let end = end.map_or(start, |end| end + 1).max(start);
    let outer = format!("{prefix}{}", finder.pointer(start, end));
    if !flags.has(Flags::EMBEDDED) {
        return Pointer { outer: mask::pointer(&outer), inner: None, string: None };
    }
    let steps = pointer::parse(&outer[prefix.len()..]).unwrap_or_default();
    let string = finder.resolve(&steps).filter(|val| val.is_string() && val.start() < start);
    let inner = string.and_then(|string| inner_pointer(string, start, end));
    let inner = inner.map(|inner| mask::pointer(&inner));
    Pointer { outer: mask::pointer(&outer), inner, string: string.map(|string| base.of(string)) }
}

/// The pointer, within the JSON that a string contains, of a span of the string's text.
fn inner_pointer(string: Val<'_>, start: u32, end: u32) -> Option<String> {
    let raw = string.as_str()?.raw;
    let first = string.start() + 1;
    let (mut inner_start, mut inner_end) = (None, None);
    let mut text = Vec::with_capacity(raw.len());
    let mut decoder = Decoder::new(raw);
    loop {
        let from = first + decoder.offset() as u32;
        let before = text.len() as u32;
        let Some(part) = decoder.next_part() else { break };
        text.extend_from_slice(part.as_bytes());
        let to = first + decoder.offset() as u32;
        // Within a run every byte is literal; an escape counts as a whole.
        let at = |offset: u32| {
            (from <= offset && offset < to).then(|| before + (offset - from).min(text.len() as u32 - before))
        };
        inner_start = inner_start.or_else(|| at(start));
        inner_end = inner_end.or_else(|| at(end - 1).map(|n| n + 1));
    }
    let mut tape = Tape::new();
    scan(&text, &mut tape).ok()?;
    Some(pointer::of_span(tape.root(&text)?, inner_start?, inner_end?))
}
