//! Bytes with room for what is made of them: every doc that is opened is one.

use std::fs::File;
use std::io::{self, Write};

use super::hints::Known;
use super::read::ReadAt;
use super::synthetic::Room;

/// Bytes with room for what is made of them.
pub struct Roomy<R> {
    bytes: R,
    room: Room,
}

impl<R> Roomy<R> {
    pub fn new(bytes: R) -> Self {
        Roomy { bytes, room: Room::default() }
    }
}

impl<R: ReadAt> ReadAt for Roomy<R> {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn is_cut(&self) -> bool {
        self.bytes.is_cut()
    }

    fn close(&self) {
        self.bytes.close();
    }

    fn room(&self) -> Option<&Room> {
        Some(&self.room)
    }

    fn known(&self) -> Option<Known> {
        self.bytes.known()
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        match self.room.read_at(start, buf) {
            Some(n) => Ok(n),
            None => self.bytes.read_at(start, buf),
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
