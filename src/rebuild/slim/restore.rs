//! Restores slimmed logs. Records are written in order, and each reference is resolved in what was written before
//! it, so memory holds no more than two records and the place of each record.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use foldhash::HashSet;

use crate::format::REFERENCE;
use crate::json::{Tape, Val, scan, string};
use crate::place::{DocId, Place};
use crate::read::Options;
use crate::read::records::{self, RecordEntry};
use crate::source::ReadAt;
use crate::source::bytes::read::FileBytes;

use super::lists;
use super::reference::{Reference, unwrap_text};
use crate::rebuild::log_follower::LogFollower;

/// A doc with all its references resolved.
pub struct RestoredDoc {
    pub bytes: Box<dyn ReadAt>,
    /// Number of references.
    pub references: u64,
    /// Number of references that restored the values, but not the bytes.
    pub reformatted: u64,
    /// Place of each record, by its number from 1.
    pub records: Vec<Place>,
    /// Unresolvable references: number of the record, and why.
    pub unresolved: Vec<(u32, &'static str)>,
}

/// True if a doc contains references.
pub fn has_references(bytes: &dyn ReadAt) -> io::Result<bool> {
    const STEP: u64 = 1 << 20;
    if let Some(text) = bytes.in_memory() {
        return Ok(records::mentions(text, REFERENCE));
    }
    let mut buf = vec![0; bytes.len().min(STEP) as usize + REFERENCE.len()];
    let mut at = 0;
    while at < bytes.len() {
        let n = bytes.read_at(at, &mut buf)?;
        if records::mentions(buf.get(..n).unwrap_or(&buf), REFERENCE) {
            return Ok(true);
        }
        at += STEP;
    }
    Ok(false)
}

/// Resolves all references of a doc.
pub fn restore(id: DocId, bytes: &dyn ReadAt, options: &Options) -> io::Result<RestoredDoc> {
    let mut file = tempfile::tempfile()?;
    let mut out =
        RestoreWriter { file: BufWriter::with_capacity(1 << 20, file.try_clone()?), written: 0, copied: 0 };
    let reader = file.try_clone()?;
    let mut follower = LogFollower::default();
    let mut inexact = HashSet::default();
    let mut restored = RestoredDoc {
        bytes: Box::new(Vec::new()),
        references: 0,
        reformatted: 0,
        records: Vec::new(),
        unresolved: Vec::new(),
    };
    records::for_each(id, bytes, options.format, options.max_record, &mut |entry| {
        out.copy(bytes, entry.place.start)?;
        let start = out.written;
        follower.push(entry);
        let text = entry.val.map(|val| val.record()).filter(|text| records::mentions(text, REFERENCE));
        match (text, entry.val) {
            (Some(_), Some(val)) => {
                let full = RecordExpander {
                    from: &reader,
                    out: &mut out,
                    source: bytes,
                    follower: &follower,
                    restored: &mut restored,
                    inexact: &mut inexact,
                }
                .expand_record(entry, val)?;
                out.write(&full)?;
                out.copied = entry.place.end();
            }
            _ => out.copy(bytes, entry.place.end())?,
        }
        let number = entry.number as usize;
        restored.records.resize(number.saturating_sub(1), Place::new(id, start, 0));
        restored.records.push(Place::new(id, start, u32::try_from(out.written - start).unwrap_or(u32::MAX)));
        Ok(true)
    })?;
    out.copy(bytes, bytes.len())?;
    out.file.flush()?;
    file.flush()?;
    restored.bytes = Box::new(FileBytes::new(file)?);
    Ok(restored)
}

/// Writer of the restored text.
struct RestoreWriter {
    file: BufWriter<File>,
    written: u64,
    /// Offset in the source up to which it was copied.
    copied: u64,
}

impl RestoreWriter {
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.write_all(text)?;
        self.written += text.len() as u64;
        Ok(())
    }

    /// Copies the source up to an offset.
    fn copy(&mut self, source: &dyn ReadAt, to: u64) -> io::Result<()> {
        let mut buf = Vec::new();
        while self.copied < to {
            let len = (to - self.copied).min(1 << 20);
            source.read_into(self.copied, len as usize, &mut buf)?;
            self.write(&buf)?;
            self.copied += len;
        }
        Ok(())
    }
}

/// Restores one record.
struct RecordExpander<'e> {
    from: &'e File,
    out: &'e mut RestoreWriter,
    source: &'e dyn ReadAt,
    follower: &'e LogFollower,
    restored: &'e mut RestoredDoc,
    /// Records that were not restored byte for byte.
    inexact: &'e mut HashSet<u32>,
}

impl RecordExpander<'_> {
    fn expand_record(&mut self, entry: &RecordEntry<'_>, val: Val<'_>) -> io::Result<Vec<u8>> {
        let mut full = Vec::with_capacity(val.size() as usize * 2);
        let mut at = 0;
        for found in references(val) {
            full.extend_from_slice(text_between(val, at, found.start())?);
            match unwrap_text(found) {
                Some(value) => {
                    let text = self.expand_text(entry, value)?;
                    full.extend(string::quoted(&String::from_utf8_lossy(&text)));
                }
                None => full.extend(self.expand_elements(entry, found)?),
            }
            at = found.end();
        }
        full.extend_from_slice(text_between(val, at, val.record().len() as u32)?);
        Ok(full)
    }

    /// The text of a string that was replaced by its value.
    fn expand_text(&mut self, entry: &RecordEntry<'_>, value: Val<'_>) -> io::Result<Vec<u8>> {
        let mut full = Vec::new();
        let mut at = value.start();
        for found in references(value) {
            full.extend_from_slice(text_between(value, at, found.start())?);
            full.extend(self.expand_elements(entry, found)?);
            at = found.end();
        }
        full.extend_from_slice(text_between(value, at, value.end())?);
        Ok(full)
    }

    /// The elements that a reference refers to; the reference itself, if they are not found.
    fn expand_elements(&mut self, entry: &RecordEntry<'_>, found: Val<'_>) -> io::Result<Vec<u8>> {
        let read = Reference::read(found);
        let exact = match &read {
            Some(Ok(Reference::Prefix { record, exact, .. })) => *exact && !self.inexact.contains(record),
            Some(Ok(Reference::History { exact, .. })) => *exact,
            _ => true,
        };
        if !exact {
            self.restored.reformatted += 1;
            self.inexact.insert(entry.number);
        }
        let elements = match read {
            Some(Ok(Reference::Prefix { record, at, items, .. })) => self.resolve_prefix(record, &at, items)?,
            Some(Ok(Reference::History { request, items, .. })) => self.resolve_history(request, items),
            Some(Err(why)) => Err(why),
            None => Err("the reference is incomplete"),
        };
        self.restored.references += 1;
        Ok(elements.unwrap_or_else(|why| {
            self.restored.unresolved.push((entry.number, why));
            found.raw().to_vec()
        }))
    }

    fn resolve_prefix(&mut self, record: u32, at: &str, items: u32) -> io::Result<Result<Vec<u8>, &'static str>> {
        let place = (record as usize).checked_sub(1).and_then(|ix| self.restored.records.get(ix));
        let Some(place) = place.copied().filter(|place| place.len > 0) else {
            return Ok(Err("the referenced record does not come before the reference"));
        };
        self.out.file.flush()?;
        let mut text = Vec::new();
        FileBytes::new(self.from.try_clone()?)?.read_into(place.start, place.len as usize, &mut text)?;
        let mut tape = Tape::new();
        let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
        let steps: Vec<&str> = at.split('/').skip(1).collect();
        let run = root.and_then(|root| run_at(root, &steps, items));
        Ok(run.ok_or("the referenced record does not contain these elements"))
    }

    fn resolve_history(&self, request: u64, items: u32) -> Result<Vec<u8>, &'static str> {
        let sent = self.follower.follow().and_then(|follow| Some((follow, follow.request(request)?)));
        let (follow, context) = sent.ok_or("the referenced request is not in the stream")?;
        let messages = follow.messages(context, self.source, 0);
        match messages.len() == items as usize {
            true => Ok(messages.join(&b","[..])),
            false => Err("the number of messages differs from the reference"),
        }
    }
}

/// The text of the first elements of the list at the end of some steps, which may lead through a string.
fn run_at(root: Val<'_>, steps: &[&str], items: u32) -> Option<Vec<u8>> {
    let (mut at, mut steps) = (root, steps);
    while let Some((step, rest)) = steps.split_first() {
        if at.is_string() {
            let text = at.text()?.into_owned();
            let mut tape = Tape::new();
            scan(&text, &mut tape).ok()?;
            return run_at(tape.root(&text)?, steps, items);
        }
        (at, steps) = (at.get(step)?, rest);
    }
    Some(lists::elements_text(at, items).to_vec()).filter(|run| !run.is_empty())
}

/// The text of a value's record between two places of it.
fn text_between(val: Val<'_>, from: u32, to: u32) -> io::Result<&[u8]> {
    let text = val.record().get(from as usize..to as usize);
    text.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a reference is outside its record"))
}

/// References in a value, in order: those that are first in a list, and replaced strings.
fn references(val: Val<'_>) -> Vec<Val<'_>> {
    let mut found = Vec::new();
    let mut open = vec![val];
    while let Some(at) = open.pop() {
        let first = at
            .elements()
            .next()
            .filter(|first| Reference::read(*first).is_some() && unwrap_text(*first).is_none());
        if at.start() != val.start() && unwrap_text(at).is_some() {
            found.push(at);
            continue;
        }
        found.extend(first);
        open.extend(at.elements().skip(usize::from(first.is_some())));
        open.extend(at.members().map(|member| member.val));
    }
    found.sort_by_key(Val::start);
    found
}
