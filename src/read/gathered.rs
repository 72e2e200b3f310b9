//! What a reading gathers, stretch by stretch, in the order of the doc.

use crate::format::Mark;
use crate::source::Container;

use super::stage::Batch;
use super::{Reading, Take};

impl<T: Default> Reading<T> {
    pub(super) fn new(container: Container) -> Self {
        Reading {
            container,
            format: None,
            records: 0,
            histories: 0,
            items: 0,
            slimmed: false,
            unsent: Vec::new(),
            lines: Vec::new(),
            gathered: T::default(),
        }
    }

    /// Takes what the next chunk has met.
    pub(super) fn join(&mut self, chunk: Chunk<T>, take: &impl Take<Gathered = T>) {
        let (records, histories) = (self.records, self.histories);
        self.format = self.format.or(chunk.own.format);
        self.records += chunk.batch.records;
        self.histories += chunk.own.histories;
        self.items += chunk.own.items;
        self.slimmed |= chunk.own.slimmed;
        self.unsent.extend(chunk.own.unsent);
        take.join(&mut self.gathered, chunk.own.gathered, records, histories);
    }
}

/// The lines of one chunk: rows for the assembler, or the histories of its records.
pub(super) struct Chunk<T> {
    pub start: u64,
    pub newlines: u64,
    pub batch: Batch,
    /// What its histories give, if its records are ones by themselves.
    pub own: Reading<T>,
}

impl Batch {
    /// Counts records from where the chunks before ended.
    pub fn renumber(&mut self, records: u32) {
        self.rows.iter_mut().for_each(|row| row.record += records);
        let findings = self.items.iter_mut().chain(&mut self.raised).chain(&mut self.cut);
        findings.for_each(|finding| finding.row.record += records);
        for (_, mark) in &mut self.marks {
            match mark {
                Mark::Entry(entry) => entry.record += records,
                Mark::Event(event) => event.record += records,
                Mark::Lost(_, record) | Mark::Piece(_, record) => *record += records,
                Mark::Line { record, .. } => *record += records,
                _ => {}
            }
        }
    }
}
