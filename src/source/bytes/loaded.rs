//! A small doc in memory while it is read: its framing, its format and its records are then found without further reads.

use std::fs::File;
use std::io;

use crate::place::Place;
use crate::source::framing;

use super::hints::{ByteHints, FileFault};
use super::read::{BorrowedBytes, ReadAt};
use super::synthetic::SyntheticSlot;

/// Bytes with a copy of them in memory.
pub struct LoadedBytes<'l> {
    bytes: &'l dyn ReadAt,
    text: &'l [u8],
}

impl<'l> LoadedBytes<'l> {
    /// Reads bytes into a buffer, unless they are in memory anyway, or more than a document that is read at once.
    pub fn load(bytes: &'l dyn ReadAt, buf: &'l mut Vec<u8>) -> io::Result<Option<LoadedBytes<'l>>> {
        if bytes.in_memory().is_some() || bytes.len() > framing::MAX_WHOLE_DOCUMENT {
            return Ok(None);
        }
        bytes.read_into(0, bytes.len() as usize, buf)?;
        Ok(Some(LoadedBytes { bytes, text: buf }))
    }
}

impl ReadAt for LoadedBytes<'_> {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn is_truncated(&self) -> bool {
        self.bytes.is_truncated()
    }

    fn close(&self) {
        self.bytes.close();
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        match start < self.len() {
            true => BorrowedBytes(self.text).read_at(start, buf),
            false => self.bytes.read_at(start, buf),
        }
    }

    fn synthetic_slot(&self) -> Option<&SyntheticSlot> {
        self.bytes.synthetic_slot()
    }

    fn hints(&self) -> Option<ByteHints> {
        self.bytes.hints()
    }

    fn file_faults(&self) -> &[FileFault] {
        self.bytes.file_faults()
    }

    fn origin(&self, at: Place) -> Place {
        self.bytes.origin(at)
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self.text)
    }

    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        self.bytes.append_to(start, len, out)
    }
}
