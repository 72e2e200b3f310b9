//! Data too large for memory, kept in an unnamed temporary file that the system removes however the run ends. It
//! is append-only and readable at any offset.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::read::{ReadAt, read_at};

/// Size in bytes of writes and of read-ahead.
const STEP: usize = 256 << 10;

/// An append-only temporary file with a write buffer.
pub struct Overflow {
    file: File,
    inner: Mutex<OverflowState>,
}

#[derive(Default)]
struct OverflowState {
    /// Bytes in the file.
    len: u64,
    /// Bytes not yet written to it.
    pending: Vec<u8>,
    /// The read-ahead buffer and its offset in the file.
    ahead: (u64, Vec<u8>),
    /// Writing failed: pending bytes stay in memory.
    full: bool,
    /// The first read error.
    failed: Option<io::Error>,
}

impl Overflow {
    /// Fails where there is no folder for temporary files.
    pub fn new() -> io::Result<Overflow> {
        Ok(Overflow { file: tempfile::tempfile()?, inner: Mutex::default() })
    }

    fn inner(&self) -> MutexGuard<'_, OverflowState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends bytes and returns their offset. Once it has failed it always fails; what was appended before can
    /// still be read.
    pub fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let mut inner = self.inner();
        if inner.full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let at = inner.len + inner.pending.len() as u64;
        inner.pending.extend_from_slice(bytes);
        if inner.pending.len() >= STEP {
            let mut file = &self.file;
            let seeks = file.seek(SeekFrom::Start(inner.len));
            if let Err(error) = seeks.and_then(|_| file.write_all(&inner.pending)) {
                inner.full = true;
                return Err(error);
            }
            inner.len += inner.pending.len() as u64;
            inner.pending.clear();
        }
        Ok(at)
    }

    /// The bytes at an offset. Empty if they cannot be read; the error is then in [`Overflow::failure`].
    pub fn get(&self, at: u64, len: usize) -> Vec<u8> {
        let mut inner = self.inner();
        let mut bytes = vec![0; len];
        match self.read(&mut inner, at, &mut bytes) {
            Ok(read) if read == len => bytes,
            Ok(_) => {
                inner.failed.get_or_insert(io::ErrorKind::UnexpectedEof.into());
                Vec::new()
            }
            Err(error) => {
                inner.failed.get_or_insert(error);
                Vec::new()
            }
        }
    }

    /// Takes the first read error.
    pub fn failure(&self) -> Option<io::Error> {
        self.inner().failed.take()
    }

    fn read(&self, inner: &mut OverflowState, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        let mut done = 0;
        if start < inner.len {
            let end = inner.len.min(start + buf.len() as u64);
            done = usize::try_from(end - start).unwrap_or(usize::MAX);
            self.read_file(inner, start, buf.get_mut(..done).unwrap_or_default())?;
        }
        let skip = usize::try_from((start + done as u64).saturating_sub(inner.len)).unwrap_or(usize::MAX);
        let rest = inner.pending.get(skip..).unwrap_or_default();
        let into = buf.get_mut(done..).unwrap_or_default();
        into.iter_mut().zip(rest).for_each(|(byte, pending)| *byte = *pending);
        Ok(done + rest.len().min(into.len()))
    }

    /// Reads from the file. Small sequential reads are served from the read-ahead buffer.
    fn read_file(&self, inner: &mut OverflowState, start: u64, buf: &mut [u8]) -> io::Result<()> {
        let exact = |start: u64, buf: &mut [u8]| match read_at(&self.file, start, buf)? == buf.len() {
            true => Ok(()),
            false => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
        };
        if buf.len() >= STEP {
            return exact(start, buf);
        }
        let within = |(from, ahead): &(u64, Vec<u8>)| {
            start >= *from && start + buf.len() as u64 <= from + ahead.len() as u64
        };
        if !within(&inner.ahead) {
            let want = (inner.len - start).min(STEP as u64) as usize;
            inner.ahead.0 = start;
            inner.ahead.1.resize(want, 0);
            if let Err(error) = exact(start, &mut inner.ahead.1) {
                inner.ahead.1.clear();
                return Err(error);
            }
        }
        let from = (start - inner.ahead.0) as usize;
        let ahead = inner.ahead.1.get(from..from + buf.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        buf.copy_from_slice(ahead);
        Ok(())
    }
}

impl ReadAt for Overflow {
    fn len(&self) -> u64 {
        let inner = self.inner();
        inner.len + inner.pending.len() as u64
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.read(&mut self.inner(), start, buf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_appended_is_read_at_any_offset() -> io::Result<()> {
        let all: Vec<u8> = (0..STEP * 3 + 1000).map(|n| (n * 7 % 251) as u8).collect();
        let over = Overflow::new()?;
        let mut at = 0;
        for piece in all.chunks(997) {
            assert_eq!(over.append(piece)?, at as u64);
            at += piece.len();
            assert_eq!(over.get((at - piece.len()) as u64, piece.len()), piece);
        }
        assert_eq!(ReadAt::len(&over), all.len() as u64);
        for (from, len) in [(0, 10), (STEP - 5, 10), (STEP * 3 - 5, 900), (1, STEP * 2), (all.len() - 1, 1)] {
            assert_eq!(over.get(from as u64, len), all[from..from + len], "{from} {len}");
        }
        let mut rest = vec![0; 100];
        assert_eq!(over.read_at(all.len() as u64 - 3, &mut rest)?, 3);
        assert!(over.failure().is_none());
        assert!(over.get(all.len() as u64, 1).is_empty() && over.failure().is_some());
        Ok(())
    }
}
