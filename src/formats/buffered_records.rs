//! Records of a document that can only be translated together: they are buffered, and read at the end.

use crate::format::translate::ParsedRecord;
use crate::json::edit::RecordBase;
use crate::json::{Tape, scan};
use crate::place::Place;

/// The records so far.
#[derive(Default)]
pub(super) struct BufferedRecords(Vec<BufferedRecord>);

struct BufferedRecord {
    text: Vec<u8>,
    at: Place,
    number: u32,
}

impl BufferedRecords {
    /// Adds a copy of a record.
    pub fn push(&mut self, record: &ParsedRecord<'_>) {
        let at = record.base.of(record.val);
        self.0.push(BufferedRecord { text: record.val.raw().into(), at, number: record.number });
    }

    /// Scans each record again.
    pub fn scan_all(&self) -> Vec<Tape> {
        let tape = |record: &BufferedRecord| {
            let mut tape = Tape::new();
            // It has been scanned before, so this succeeds.
            let _ = scan(&record.text, &mut tape);
            tape
        };
        self.0.iter().map(tape).collect()
    }

    /// The records with their tapes.
    pub fn records<'k>(&'k self, tapes: &'k [Tape]) -> impl Iterator<Item = ParsedRecord<'k>> {
        self.0.iter().zip(tapes).filter_map(|(record, tape)| {
            let val = tape.root(&record.text)?;
            // A record with other bytes in the document has only the place of the whole.
            let is_plain = record.at.len as usize == record.text.as_slice().len();
            let base = match is_plain {
                true => RecordBase::new(record.at.doc, record.at.start),
                false => RecordBase::synthetic_from(record.at),
            };
            Some(ParsedRecord { val, base, number: record.number })
        })
    }
}
