//! Bytes to which synthetic text can be attached; every opened doc is wrapped in this.
//!
//! Items of a document that is too large to be kept in memory are looked at one by one, often in the order of the document or
//! in two orders at once: a page around the last small reads takes the place of most of them.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Mutex;

use super::hints::{ByteHints, FileFault};
use super::read::ReadAt;
use super::synthetic::SyntheticSlot;

/// Bytes with a slot for the text that is synthesised from them.
pub struct GrowableBytes<R> {
    bytes: R,
    slot: SyntheticSlot,
    /// The pages of the last small reads, the latest first.
    pages: Mutex<[Page; 2]>,
}

/// A range of the bytes that begins at a multiple of [`PAGE`].
#[derive(Default)]
struct Page {
    start: u64,
    text: Vec<u8>,
}

/// To read this many bytes takes about as long as to read one.
const PAGE: u64 = 4096;

/// Reads of more bytes do not go by pages.
const SMALL: usize = 1024;

impl<R> GrowableBytes<R> {
    pub fn new(bytes: R) -> Self {
        GrowableBytes { bytes, slot: SyntheticSlot::default(), pages: Mutex::default() }
    }
}

impl<R: ReadAt> GrowableBytes<R> {
    /// Reads from a page. `None` if the bytes are on two, if it cannot be read whole, or if another thread reads.
    fn read_from_page(&self, start: u64, buf: &mut [u8]) -> Option<usize> {
        let first = start - start % PAGE;
        let from = (start - first) as usize;
        let to = from + buf.len();
        if to as u64 > PAGE || first + PAGE > self.bytes.len() {
            return None;
        }
        let mut pages = self.pages.try_lock().ok()?;
        let [latest, other] = &mut *pages;
        if latest.start != first || latest.text.is_empty() {
            std::mem::swap(latest, other);
        }
        if latest.start != first || latest.text.is_empty() {
            latest.start = first;
            if self.bytes.read_into(first, PAGE as usize, &mut latest.text).is_err() {
                latest.text.clear();
            }
        }
        buf.copy_from_slice(latest.text.get(from..to)?);
        Some(buf.len())
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
        if let Some(n) = self.slot.read_at(start, buf) {
            return Ok(n);
        }
        let by_page = buf.len() <= SMALL && self.bytes.in_memory().is_none();
        let read = if by_page { self.read_from_page(start, buf) } else { None };
        read.map_or_else(|| self.bytes.read_at(start, buf), Ok)
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Bytes as those of a file: not in memory, and their reads are counted.
    struct CountedBytes {
        all: Vec<u8>,
        len: u64,
        reads: AtomicUsize,
    }

    impl ReadAt for CountedBytes {
        fn len(&self) -> u64 {
            self.len
        }

        fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            self.all.read_at(start, buf)
        }
    }

    /// A file of `len` bytes when it was opened.
    fn file(len: u64, shrunk_to: usize) -> GrowableBytes<CountedBytes> {
        let all = (0..shrunk_to).map(|n| (n / 7 % 251) as u8).collect();
        GrowableBytes::new(CountedBytes { all, len, reads: AtomicUsize::default() })
    }

    #[test]
    fn pages_hold_the_bytes_of_the_file() {
        // The last page is not whole, and the second file shrank.
        for (len, now) in [(20_000, 20_000), (20_000, 9_000)] {
            let file = file(len, now);
            for (start, size) in
                (0..len + 50).step_by(61).flat_map(|start| [1, 60, 1024, 5000].map(|n| (start, n)))
            {
                let (mut by_page, mut plain) = (vec![0; size], vec![0; size]);
                let expected = file.bytes.all.read_at(start, &mut plain).expect("memory reads");
                assert_eq!(
                    file.read_at(start, &mut by_page).expect("it can be read"),
                    expected,
                    "{start}, {size}"
                );
                assert_eq!(by_page, plain, "{start}, {size}");
            }
        }
    }

    #[test]
    fn items_in_two_orders_take_a_read_for_each_page() {
        let file = file(81_920, 81_920);
        let mut item = [0; 64];
        for n in 0..640 {
            file.read_at(n * 64, &mut item).expect("it can be read");
            file.read_at(81_920 - (n + 1) * 64, &mut item).expect("it can be read");
        }
        assert_eq!(file.bytes.reads.load(Ordering::Relaxed), 20);
    }
}
