//! Text that is written piece by piece and read again: in memory, and beyond a few megabytes in an unnamed
//! temporary file.

use std::cell::RefCell;
use std::io::{self, Write};

use super::overflow::Overflow;
use super::read::ReadAt;

/// Bytes kept in memory.
const IN_MEMORY: usize = 8 << 20;
/// Bytes moved to the file at a time after that.
const STEP: usize = 256 << 10;

/// Takes over the beginning of a text that gets too long. By default disabled: all of it stays in memory.
#[derive(Default)]
pub struct SpoolSink(RefCell<SinkState>);

#[derive(Default)]
enum SinkState {
    #[default]
    Disabled,
    /// No file yet; one is created from this many bytes on.
    Pending(usize),
    Spilling(Overflow),
    Failed(io::Error),
}

impl SpoolSink {
    pub fn open() -> SpoolSink {
        SpoolSink::with_threshold(IN_MEMORY)
    }

    fn with_threshold(bytes: usize) -> SpoolSink {
        SpoolSink(RefCell::new(SinkState::Pending(bytes)))
    }

    /// The length from which on a text is to be passed to [`SpoolSink::spill_from`].
    pub fn threshold(&self) -> usize {
        match &*self.0.borrow() {
            SinkState::Disabled => usize::MAX,
            SinkState::Pending(most) => *most,
            SinkState::Spilling(_) | SinkState::Failed(_) => STEP,
        }
    }

    /// Bytes moved to the file.
    pub fn spilled_len(&self) -> usize {
        match &*self.0.borrow() {
            SinkState::Spilling(file) => usize::try_from(ReadAt::len(file)).unwrap_or(usize::MAX),
            SinkState::Disabled | SinkState::Pending(_) | SinkState::Failed(_) => 0,
        }
    }

    /// Moves all but the last byte of a text to the file.
    pub fn spill_from(&self, text: &mut Vec<u8>) {
        let Some((_, start)) = text.split_last() else { return };
        let mut state = self.0.borrow_mut();
        if let SinkState::Pending(_) = &*state {
            match Overflow::new() {
                Ok(file) => *state = SinkState::Spilling(file),
                // Without a folder for temporary files everything stays in memory.
                Err(_) => {
                    *state = SinkState::Disabled;
                    return;
                }
            }
        }
        if let SinkState::Spilling(file) = &*state
            && let Err(error) = file.append(start)
        {
            *state = SinkState::Failed(write_error(&error));
        }
        if matches!(*state, SinkState::Spilling(_) | SinkState::Failed(_)) {
            text.drain(..text.len() - 1);
            text.shrink_to(STEP * 2);
        }
    }

    /// The whole text, given its rest.
    pub fn finish(self, rest: Vec<u8>) -> io::Result<Spool> {
        match self.0.into_inner() {
            SinkState::Spilling(file) => {
                file.append(&rest).map_err(|error| write_error(&error))?;
                Ok(Spool(SpoolStorage::File(file)))
            }
            SinkState::Failed(error) => Err(error),
            SinkState::Disabled | SinkState::Pending(_) => Ok(Spool(SpoolStorage::Memory(rest))),
        }
    }
}

fn write_error(error: &io::Error) -> io::Error {
    let words = format!("cannot write a temporary file: {error} (set TMPDIR to a folder with enough space)");
    io::Error::new(error.kind(), words)
}

/// A finished text, in memory or in a temporary file.
pub struct Spool(SpoolStorage);

enum SpoolStorage {
    Memory(Vec<u8>),
    File(Overflow),
}

impl Default for Spool {
    fn default() -> Self {
        Spool(SpoolStorage::Memory(Vec::new()))
    }
}

impl From<Vec<u8>> for Spool {
    fn from(bytes: Vec<u8>) -> Self {
        Spool(SpoolStorage::Memory(bytes))
    }
}

impl Spool {
    pub fn is_empty(&self) -> bool {
        ReadAt::len(self) == 0
    }

    /// True if it contains only white space. Never true of one in a file.
    pub fn is_blank(&self) -> bool {
        match &self.0 {
            SpoolStorage::Memory(bytes) => bytes.trim_ascii().is_empty(),
            SpoolStorage::File(_) => false,
        }
    }

    /// A copy of these bytes.
    pub fn of(bytes: &dyn ReadAt) -> io::Result<Spool> {
        Spool::surrounded(b"", bytes, bytes.len(), b"")
    }

    /// A copy of the first `len` of these bytes, with a text before and after them.
    pub fn surrounded(before: &[u8], bytes: &dyn ReadAt, len: u64, after: &[u8]) -> io::Result<Spool> {
        let (outlet, mut text, mut at) = (SpoolSink::open(), before.to_vec(), 0);
        let mut buf = Vec::new();
        while at < len {
            let want = (len - at).min(STEP as u64) as usize;
            bytes.read_into(at, want, &mut buf)?;
            text.extend_from_slice(&buf);
            at += want as u64;
            if text.len() > outlet.threshold() {
                outlet.spill_from(&mut text);
            }
        }
        text.extend_from_slice(after);
        outlet.finish(text)
    }

    /// Calls `take` with all bytes, in order.
    pub fn for_each_chunk(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let file = match &self.0 {
            SpoolStorage::Memory(bytes) => return take(bytes),
            SpoolStorage::File(file) => file,
        };
        let (mut at, len, mut buf) = (0, ReadAt::len(file), Vec::new());
        while at < len {
            let want = (len - at).min(STEP as u64) as usize;
            file.read_into(at, want, &mut buf)?;
            take(&buf)?;
            at += want as u64;
        }
        Ok(())
    }

    pub fn copy_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.for_each_chunk(&mut |bytes| out.write_all(bytes))
    }

    /// All of it, in memory.
    pub fn into_bytes(self) -> io::Result<Vec<u8>> {
        match self.0 {
            SpoolStorage::Memory(bytes) => Ok(bytes),
            SpoolStorage::File(file) => {
                let mut bytes = Vec::new();
                file.read_into(0, ReadAt::len(&file) as usize, &mut bytes)?;
                Ok(bytes)
            }
        }
    }
}

impl ReadAt for Spool {
    fn len(&self) -> u64 {
        match &self.0 {
            SpoolStorage::Memory(bytes) => ReadAt::len(bytes),
            SpoolStorage::File(file) => ReadAt::len(file),
        }
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        match &self.0 {
            SpoolStorage::Memory(bytes) => bytes.read_at(start, buf),
            SpoolStorage::File(file) => file.read_at(start, buf),
        }
    }

    fn append_from(&self, start: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        match &self.0 {
            SpoolStorage::Memory(bytes) => bytes.append_from(start, len, out),
            SpoolStorage::File(file) => file.append_from(start, len, out),
        }
    }

    fn in_memory(&self) -> Option<&[u8]> {
        match &self.0 {
            SpoolStorage::Memory(bytes) => Some(bytes),
            SpoolStorage::File(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_goes_to_a_file_and_comes_back_whole() -> io::Result<()> {
        for most in [usize::MAX, 1 << 20, 1000] {
            let outlet = if most == usize::MAX { SpoolSink::default() } else { SpoolSink::with_threshold(most) };
            let (mut text, mut whole) = (Vec::new(), Vec::new());
            for n in 0..3000u32 {
                let piece = vec![n as u8; 700];
                whole.extend_from_slice(&piece);
                text.extend_from_slice(&piece);
                if text.len() > outlet.threshold() {
                    outlet.spill_from(&mut text);
                    assert_eq!(text, [n as u8]);
                }
            }
            let spool = outlet.finish(text)?;
            assert_eq!(spool.in_memory().is_some(), most == usize::MAX);
            let mut copy = Vec::new();
            spool.copy_to(&mut copy)?;
            assert!(copy == whole && spool.into_bytes()? == whole, "{most}");
        }
        Ok(())
    }
}
