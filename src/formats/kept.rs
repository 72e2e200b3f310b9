//! Records of a doc that can only be told together: they are kept as they come, and looked at in the end.

use crate::format::translate::Stored;
use crate::json::edit::Base;
use crate::json::{Tape, scan};
use crate::place::Place;

/// The records so far.
#[derive(Default)]
pub(super) struct Kept(Vec<Record>);

struct Record {
    text: Vec<u8>,
    at: Place,
    number: u32,
}

impl Kept {
    pub fn push(&mut self, record: &Stored<'_>) {
        let at = record.base.of(record.val);
        self.0.push(Record { text: record.val.raw().into(), at, number: record.number });
    }

    /// A tape for each record.
    pub fn scanned(&self) -> Vec<Tape> {
        let tape = |record: &Record| {
            let mut tape = Tape::new();
            // It could be scanned before.
            let _ = scan(&record.text, &mut tape);
            tape
        };
        self.0.iter().map(tape).collect()
    }

    /// The records, as they are on their tapes.
    pub fn records<'k>(&'k self, tapes: &'k [Tape]) -> impl Iterator<Item = Stored<'k>> {
        self.0.iter().zip(tapes).filter_map(|(record, tape)| {
            let val = tape.root(&record.text)?;
            // What has other bytes in the doc is named as a whole.
            let is_plain = record.at.len as usize == record.text.as_slice().len();
            let base = match is_plain {
                true => Base::new(record.at.doc, record.at.start),
                false => Base::made_of(record.at),
            };
            Some(Stored { val, base, number: record.number })
        })
    }
}
