//! Writing to a reader that may exit early, as `head` does. The run continues, and ends as it would have with a
//! reader.

use std::io::{self, Write};

/// A writer that drops what is written after its reader has exited.
pub struct PipeWriter<W> {
    to: W,
    is_closed: bool,
}

impl<W: Write> PipeWriter<W> {
    pub fn new(to: W) -> Self {
        PipeWriter { to, is_closed: false }
    }

    /// Writes, unless the reader has exited; then `dropped` is the result.
    fn attempt<T>(&mut self, dropped: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.is_closed {
            return Ok(dropped);
        }
        match write(&mut self.to) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for PipeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |to| to.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), W::flush)
    }
}
