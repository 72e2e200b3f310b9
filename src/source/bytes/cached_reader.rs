//! A reader that caches one range of a doc, so that looking at records one after the other takes one read for
//! each.

use std::io;
use std::sync::{Mutex, PoisonError};

use crate::place::{DocId, Place};

use super::hints::{ByteHints, FileFault};
use super::synthetic::SyntheticSlot;
use crate::source::{Container, ReadAt, framing, lines};

/// A doc with the range of it that was requested last.
pub struct CachedReader<'r> {
    inner: &'r dyn ReadAt,
    container: Container,
    /// Line starts (offset, line number), a few kilobytes apart.
    marks: &'r [(u64, u64)],
    range: Mutex<CachedRange>,
}

/// Longer ranges are not cached but read piece by piece.
const MOST: usize = 256 << 20;

#[derive(Default)]
struct CachedRange {
    start: u64,
    text: Vec<u8>,
}

impl CachedRange {
    fn end(&self) -> u64 {
        self.start + self.text.len() as u64
    }
}

impl<'r> CachedReader<'r> {
    pub fn new(inner: &'r dyn ReadAt, container: Container, marks: &'r [(u64, u64)]) -> Self {
        CachedReader { inner, container, marks, range: Mutex::default() }
    }

    /// Caches the record that contains an offset, if its extent is known. It is the one that is read next.
    pub fn cache_record(&self, offset: u64) -> io::Result<()> {
        let (start, end) = match self.container {
            Container::Document { start } if self.inner.len() - start <= framing::MAX_WHOLE_DOCUMENT => {
                (0, self.inner.len())
            }
            Container::Lines { .. } | Container::Events { .. } => {
                let next = self.marks.partition_point(|(start, _)| *start <= offset);
                let Some((start, _)) = next.checked_sub(1).and_then(|ix| self.marks.get(ix)) else {
                    return Ok(());
                };
                (*start, self.marks.get(next).map_or(self.inner.len(), |(next, _)| *next))
            }
            _ => return Ok(()),
        };
        let mut cached = self.range.lock().unwrap_or_else(PoisonError::into_inner);
        if self.inner.in_memory().is_some() || offset >= end || cached.start <= offset && offset < cached.end() {
            return Ok(());
        }
        let Some(len) = usize::try_from(end - start).ok().filter(|len| *len <= MOST) else { return Ok(()) };
        let CachedRange { start: from, text } = &mut *cached;
        // What cannot be read is not cached.
        *from = start;
        let read = self.inner.read_into(start, len, text);
        if read.is_err() {
            text.clear();
        }
        read
    }
}

impl CachedReader<'_> {
    /// The line that contains an offset, including its line end; cached if its extent is known. `start` is where
    /// the doc's text starts.
    pub fn line_around(&self, id: DocId, start: u64, offset: u64) -> io::Result<Place> {
        self.cache_record(offset)?;
        self.cached_line(id, offset).map_or_else(|| lines::line_at(self, id, start, offset), Ok)
    }

    /// The same from the cache, which only ever contains whole lines.
    fn cached_line(&self, id: DocId, offset: u64) -> Option<Place> {
        let cached = self.range.lock().unwrap_or_else(PoisonError::into_inner);
        let at = usize::try_from(offset.checked_sub(cached.start)?).ok()?;
        let (before, after) = (cached.text.get(..at)?, cached.text.get(at..).filter(|after| !after.is_empty())?);
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let len = memchr::memchr(b'\n', after).map_or(after.len(), |end| end + 1);
        Some(Place::new(id, cached.start + start as u64, u32::try_from(at - start + len).unwrap_or(u32::MAX)))
    }
}

impl ReadAt for CachedReader<'_> {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn is_truncated(&self) -> bool {
        self.inner.is_truncated()
    }

    fn synthetic_slot(&self) -> Option<&SyntheticSlot> {
        self.inner.synthetic_slot()
    }

    fn hints(&self) -> Option<ByteHints> {
        self.inner.hints()
    }

    fn file_faults(&self) -> &[FileFault] {
        self.inner.file_faults()
    }

    fn origin(&self, at: Place) -> Place {
        self.inner.origin(at)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        self.inner.in_memory()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let cached = self.range.lock().unwrap_or_else(PoisonError::into_inner);
        let end = start.saturating_add(buf.len() as u64);
        // Nothing follows a range that extends to the end of the doc.
        let end =
            if cached.end() == self.inner.len() && start < cached.end() { end.min(cached.end()) } else { end };
        if cached.start <= start && end <= cached.end() && start < end {
            let from = (start - cached.start) as usize;
            if let Some(text) = cached.text.get(from..from + (end - start) as usize)
                && let Some(part) = buf.get_mut(..text.len())
            {
                part.copy_from_slice(text);
                return Ok(text.len());
            }
        }
        drop(cached);
        self.inner.read_at(start, buf)
    }
}
