//! The records of a text, which the net under a patch finds by itself: it does not trust what the reader saw.

use std::io;
use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use crate::json::{Tape, Val, scan};
use crate::source::{Container, ReadAt};

/// A line with something in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// One more than that of the line before, where that was read.
    pub number: u32,
    pub start: u64,
    pub len: u32,
    pub hash: u64,
}

/// Reads the lines of stretches of a text one after the other, none of them whole.
pub(super) struct Records<'r> {
    bytes: &'r dyn ReadAt,
    stretches: std::vec::IntoIter<Range<u64>>,
    /// Where the stretch at hand ends.
    end: u64,
    /// Offset of the buffer.
    base: u64,
    at: usize,
    buf: Vec<u8>,
    number: u32,
}

const STEP: u64 = 1 << 20;

impl<'r> Records<'r> {
    pub fn new(bytes: &'r dyn ReadAt, stretches: Vec<Range<u64>>) -> Self {
        Records { bytes, stretches: stretches.into_iter(), end: 0, base: 0, at: 0, buf: Vec::new(), number: 0 }
    }

    /// Goes on to the next stretch, if there is one.
    fn skip(&mut self) -> bool {
        let Some(next) = self.stretches.next() else { return false };
        (self.base, self.end, self.at) = (next.start, next.end, 0);
        self.buf.clear();
        self.number += 1;
        true
    }

    pub fn next(&mut self) -> io::Result<Option<Record>> {
        loop {
            if self.base + self.at as u64 >= self.end && !self.skip() {
                return Ok(None);
            }
            let (start, mut len) = (self.base + self.at as u64, 0u64);
            let mut hasher = Xxh3::new();
            let (mut ended, mut blank) = (false, true);
            while !ended {
                if self.at == self.buf.len() {
                    self.base += self.buf.len() as u64;
                    self.at = 0;
                    let left = self.end.saturating_sub(self.base).min(STEP);
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
                return Ok(Some(Record { number: self.number - 1, start, len, hash: hasher.digest() }));
            }
        }
    }
}

/// Reads records again, to look at what they say.
pub(super) struct Reader {
    container: Container,
    /// The record that was read last.
    pub text: Vec<u8>,
    tape: Tape,
}

impl Reader {
    pub fn new(container: Container) -> Self {
        Reader { container, text: Vec::new(), tape: Tape::new() }
    }

    /// Calls `see` with a record; `None` if it cannot be read.
    pub fn see<R>(
        &mut self,
        bytes: &dyn ReadAt,
        record: &Record,
        see: impl Fn(Val<'_>) -> Option<R>,
    ) -> io::Result<Option<Option<R>>> {
        bytes.read_into(record.start, record.len as usize, &mut self.text)?;
        let Some(at) = self.container.record_in(&self.text) else { return Ok(Some(None)) };
        let text = self.text.get(at..).unwrap_or_default();
        Ok(scan(text, &mut self.tape).ok().and_then(|()| self.tape.root(text)).map(see))
    }
}
