//! Writing to a reader that may go away, as `head` does. That ends what is read, and not what is done: the run goes on, and
//! ends as it would have with a reader to the last.

use std::io::{self, Write};

/// Something that is written to; after its reader has gone, what is written is dropped.
pub struct Piped<W> {
    to: W,
    is_gone: bool,
}

impl<W: Write> Piped<W> {
    pub fn new(to: W) -> Self {
        Piped { to, is_gone: false }
    }

    /// Writes, unless the reader has gone; then `dropped` is the result.
    fn attempt<T>(&mut self, dropped: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.is_gone {
            return Ok(dropped);
        }
        match write(&mut self.to) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_gone = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Piped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |to| to.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), W::flush)
    }
}
