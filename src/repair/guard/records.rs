//! The records of a text, found by the guard itself: it does not rely on the reader.

use std::io;
use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use crate::json::{Tape, Val, scan};
use crate::source::{Container, ReadAt};

/// A line that is not blank.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineRecord {
    /// Its number: one more than that of the line before it, where that was read.
    pub number: u32,
    pub start: u64,
    pub len: u32,
    pub hash: u64,
}

/// Reads the lines of stretches of a text one after another, in chunks.
pub(super) struct LineRecords<'r> {
    bytes: &'r dyn ReadAt,
    stretches: std::vec::IntoIter<Range<u64>>,
    /// End of the current stretch.
    end: u64,
    /// Offset of the buffer.
    base: u64,
    at: usize,
    buf: Vec<u8>,
    number: u32,
}

const CHUNK_LEN: u64 = 1 << 20;

impl<'r> LineRecords<'r> {
    pub fn new(bytes: &'r dyn ReadAt, stretches: Vec<Range<u64>>) -> Self {
        LineRecords { bytes, stretches: stretches.into_iter(), end: 0, base: 0, at: 0, buf: Vec::new(), number: 0 }
    }

    /// Moves to the next stretch; false if there is none.
    fn next_range(&mut self) -> bool {
        let Some(next) = self.stretches.next() else { return false };
        (self.base, self.end, self.at) = (next.start, next.end, 0);
        self.buf.clear();
        self.number += 1;
        true
    }

    pub fn next(&mut self) -> io::Result<Option<LineRecord>> {
        loop {
            if self.base + self.at as u64 >= self.end && !self.next_range() {
                return Ok(None);
            }
            let (start, mut len) = (self.base + self.at as u64, 0u64);
            let mut hasher = Xxh3::new();
            let (mut ended, mut blank) = (false, true);
            while !ended {
                if self.at == self.buf.len() {
                    self.base += self.buf.len() as u64;
                    self.at = 0;
                    let left = self.end.saturating_sub(self.base).min(CHUNK_LEN);
                    if left == 0 {
                        self.buf.clear();
                        break;
                    }
                    self.bytes.read_into(self.base, left as usize, &mut self.buf)?;
                }
                let rest = self.buf.get(self.at..).unwrap_or_default();
                let end = memchr::memchr(b'\n', rest);
                let part = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
                blank &= part.iter().all(u8::is_ascii_whitespace);
                hasher.update(part);
                len += part.len() as u64;
                ended = end.is_some();
                self.at += part.len() + usize::from(ended);
            }
            if !blank {
                self.number += 1;
                let len = u32::try_from(len).unwrap_or(u32::MAX);
                return Ok(Some(LineRecord { number: self.number - 1, start, len, hash: hasher.digest() }));
            }
        }
    }
}

/// Parses records again.
pub(super) struct RecordParser {
    container: Container,
    /// The record that was read last.
    pub text: Vec<u8>,
    tape: Tape,
}

impl RecordParser {
    pub fn new(container: Container) -> Self {
        RecordParser { container, text: Vec::new(), tape: Tape::new() }
    }

    /// Calls `see` with a record; `None` if it cannot be read.
    pub fn parse<R>(
        &mut self,
        bytes: &dyn ReadAt,
        record: &LineRecord,
        see: impl Fn(Val<'_>) -> Option<R>,
    ) -> io::Result<Option<Option<R>>> {
        bytes.read_into(record.start, record.len as usize, &mut self.text)?;
        let Some(at) = self.container.record_start(&self.text) else { return Ok(Some(None)) };
        let text = self.text.get(at..).unwrap_or_default();
        Ok(scan(text, &mut self.tape).ok().and_then(|()| self.tape.root(text)).map(see))
    }
}
