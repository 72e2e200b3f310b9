//! Bytes in memory whose framing or format is known in advance.

use std::io;

use super::hints::{ByteHints, FileFault};
use super::read::ReadAt;

/// Bytes in memory with hints about them.
pub struct HintedBytes {
    text: Vec<u8>,
    known: ByteHints,
    faults: Vec<FileFault>,
}

impl HintedBytes {
    pub fn new(text: Vec<u8>, known: ByteHints) -> HintedBytes {
        HintedBytes { text, known, faults: Vec::new() }
    }

    /// The lines of files with these faults.
    pub fn with_faults(self, faults: Vec<FileFault>) -> HintedBytes {
        HintedBytes { faults, ..self }
    }
}

impl ReadAt for HintedBytes {
    fn len(&self) -> u64 {
        self.text.as_slice().len() as u64
    }

    fn hints(&self) -> Option<ByteHints> {
        Some(self.known)
    }

    fn file_faults(&self) -> &[FileFault] {
        &self.faults
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(&self.text)
    }

    fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.text.read_at(start, buf)
    }
}

/// Appends a value with the line ends between its tokens replaced by spaces, so that its length does not change.
pub fn append_one_line(value: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(value);
    if memchr::memchr2(b'\n', b'\r', value).is_none() {
        return;
    }
    let (mut in_string, mut escaped) = (false, false);
    for byte in out.split_at_mut(start).1 {
        match *byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'\n' | b'\r' if !in_string => *byte = b' ',
            _ => {}
        }
    }
}
