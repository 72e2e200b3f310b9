//! Records that could not be read before a patch: a damaged line may be joined with others, or split, and still be
//! damaged.

use std::io;

use crate::source::ReadAt;
use crate::source::damage::escape_of;

use super::records::{LineRecord, RecordParser};

/// The records that could not be read before the patch, as one text in which control characters are escaped: line feeds
/// are, too, because a value may be spread over several lines.
pub(super) struct UnreadableText<'r> {
    bytes: &'r dyn ReadAt,
    /// Those that are not part of the text yet.
    records: std::slice::Iter<'r, LineRecord>,
    text: Vec<u8>,
    /// Length of the text that was searched already.
    at: usize,
    /// The record at the end of the text.
    last: Option<LineRecord>,
}

impl<'r> UnreadableText<'r> {
    pub fn new(bytes: &'r dyn ReadAt, records: &'r [LineRecord]) -> Self {
        UnreadableText { bytes, records: records.iter(), text: Vec::new(), at: 0, last: None }
    }

    /// True if an unreadable record was part of what was unreadable before, byte for byte, except for control
    /// characters that are now escaped. Both texts have the same order, so nothing is searched twice.
    pub fn contains(
        &mut self,
        after: &dyn ReadAt,
        new: &LineRecord,
        reader: &mut RecordParser,
    ) -> io::Result<bool> {
        let mut wanted = Vec::new();
        after.read_into(new.start, new.len as usize, &mut wanted)?;
        let wanted = escape_controls(wanted.trim_ascii());
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            if let Some(at) = memchr::memmem::find(rest, &wanted) {
                self.at += at + wanted.len();
                return Ok(true);
            }
            // The rest that is searched again is shorter than the wanted text and than what is read next.
            let kept = rest.len().min(wanted.len());
            self.text.drain(..self.text.len() - kept);
            self.at = 0;
            let enough = self.text.len() + wanted.len();
            let mut is_end = true;
            while self.text.len() <= enough
                && let Some(record) = self.records.next()
            {
                is_end = false;
                self.add(*record, reader)?;
            }
            if is_end {
                return Ok(false);
            }
        }
    }

    fn add(&mut self, record: LineRecord, reader: &mut RecordParser) -> io::Result<()> {
        if reader.parse(self.bytes, &record, |_| Some(()))?.is_some() {
            self.last = None;
            return Ok(());
        }
        match self.last.filter(|last| last.number + 1 == record.number) {
            // Between them are a line feed and blank lines.
            Some(last) => {
                let (end, mut between) = (last.start + u64::from(last.len), Vec::new());
                self.bytes.read_into(end, (record.start - end) as usize, &mut between)?;
                self.text.extend(escape_controls(&between));
            }
            None => self.text.push(b'\n'),
        }
        self.text.extend(escape_controls(&reader.text));
        self.last = Some(record);
        Ok(())
    }
}

fn escape_controls(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            0..0x20 => out.extend(escape_of(*byte)),
            _ => out.push(*byte),
        }
    }
    out
}
