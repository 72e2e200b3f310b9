//! A doc of which one stretch is held in memory: what is looked at of one record after the other is read with one read each.

use std::io;
use std::sync::{Mutex, PoisonError};

use crate::place::{DocId, Place};

use super::hints::Known;
use super::synthetic::Room;
use crate::source::{Container, ReadAt, framing, lines};

/// A doc, and the stretch of it that was asked for last.
pub struct Held<'r> {
    inner: &'r dyn ReadAt,
    container: Container,
    /// Starts of lines whose numbers are known.
    marks: &'r [(u64, u64)],
    stretch: Mutex<Stretch>,
}

/// More than this is not held: it is read piece by piece.
const MOST: usize = 256 << 20;

#[derive(Default)]
struct Stretch {
    start: u64,
    text: Vec<u8>,
}

impl Stretch {
    fn end(&self) -> u64 {
        self.start + self.text.len() as u64
    }
}

impl<'r> Held<'r> {
    pub fn new(inner: &'r dyn ReadAt, container: Container, marks: &'r [(u64, u64)]) -> Self {
        Held { inner, container, marks, stretch: Mutex::default() }
    }

    /// Holds the record that an offset lies in, where it is known how far it goes. It is the one that is read next.
    pub fn hold(&self, offset: u64) -> io::Result<()> {
        let (start, end) = match self.container {
            Container::Document { start } if self.inner.len() - start <= framing::WHOLE_DOCUMENT => {
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
        let mut held = self.stretch.lock().unwrap_or_else(PoisonError::into_inner);
        if self.inner.in_memory().is_some() || offset >= end || held.start <= offset && offset < held.end() {
            return Ok(());
        }
        let Some(len) = usize::try_from(end - start).ok().filter(|len| *len <= MOST) else { return Ok(()) };
        let Stretch { start: from, text } = &mut *held;
        // What cannot be read is not held.
        *from = start;
        let read = self.inner.read_into(start, len, text);
        if read.is_err() {
            text.clear();
        }
        read
    }
}

impl Held<'_> {
    /// The line around an offset, with its end, which is held if it is known how far it goes. `start` is where the doc's text
    /// starts.
    pub fn line_around(&self, id: DocId, start: u64, offset: u64) -> io::Result<Place> {
        self.hold(offset)?;
        self.line(id, offset).map_or_else(|| lines::around(self, id, start, offset), Ok)
    }

    /// The same, if it is held: a stretch of lines is made of whole ones.
    fn line(&self, id: DocId, offset: u64) -> Option<Place> {
        let held = self.stretch.lock().unwrap_or_else(PoisonError::into_inner);
        let at = usize::try_from(offset.checked_sub(held.start)?).ok()?;
        let (before, after) = (held.text.get(..at)?, held.text.get(at..).filter(|after| !after.is_empty())?);
        let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let len = memchr::memchr(b'\n', after).map_or(after.len(), |end| end + 1);
        Some(Place::new(id, held.start + start as u64, u32::try_from(at - start + len).unwrap_or(u32::MAX)))
    }
}

impl ReadAt for Held<'_> {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn is_cut(&self) -> bool {
        self.inner.is_cut()
    }

    fn room(&self) -> Option<&Room> {
        self.inner.room()
    }

    fn known(&self) -> Option<Known> {
        self.inner.known()
    }

    fn origin(&self, at: Place) -> Place {
        self.inner.origin(at)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        self.inner.in_memory()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let held = self.stretch.lock().unwrap_or_else(PoisonError::into_inner);
        let end = start.saturating_add(buf.len() as u64);
        // Nothing follows what is held up to the end of the doc.
        let end = if held.end() == self.inner.len() && start < held.end() { end.min(held.end()) } else { end };
        if held.start <= start && end <= held.end() && start < end {
            let from = (start - held.start) as usize;
            if let Some(text) = held.text.get(from..from + (end - start) as usize)
                && let Some(part) = buf.get_mut(..text.len())
            {
                part.copy_from_slice(text);
                return Ok(text.len());
            }
        }
        drop(held);
        self.inner.read_at(start, buf)
    }
}
