//! Bytes to which synthetic text can be attached; every opened doc is wrapped in this.

use std::fs::File;
use std::io::{self, Write};

use super::hints::{ByteHints, FileFault};
use super::read::{ReadAt, append_by_read_at};
use super::synthetic::SyntheticSlot;

/// Bytes with a slot for the text that is synthesised from them.
pub struct GrowableBytes<R> {
    bytes: R,
    slot: SyntheticSlot,
}

impl<R> GrowableBytes<R> {
    pub fn new(bytes: R) -> Self {
        GrowableBytes { bytes, slot: SyntheticSlot::default() }
    }
}

impl<R: ReadAt> ReadAt for GrowableBytes<R> {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn is_truncated(&self) -> bool {
        self.bytes.is_truncated()
    }

    fn close(&self) {
        self.bytes.close();
    }

    fn synthetic_slot(&self) -> Option<&SyntheticSlot> {
        Some(&self.slot)
    }

    fn hints(&self) -> Option<ByteHints> {
        self.bytes.hints()
    }

    fn file_faults(&self) -> &[FileFault] {
        self.bytes.file_faults()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        match self.slot.read_at(start, buf) {
            Some(n) => Ok(n),
            None => self.bytes.read_at(start, buf),
        }
    }

    fn append_from(&self, start: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        match start < self.bytes.len() {
            true => self.bytes.append_from(start, len, out),
            false => append_by_read_at(self, start, len, out),
        }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        self.bytes.in_memory()
    }

    fn append_to(&self, start: u64, len: u64, out: &mut File) -> io::Result<()> {
        if start < self.bytes.len() {
            return self.bytes.append_to(start, len, out);
        }
        let mut text = Vec::new();
        self.read_into(start, usize::try_from(len).unwrap_or(usize::MAX), &mut text)?;
        out.write_all(&text)
    }
}
