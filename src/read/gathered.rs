//! What a reading gathers, stretch by stretch, in the order of the doc.

use crate::format::Mark;
use crate::source::Container;

use super::batch::Batch;
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
            may_refer: false,
            unsent: Vec::new(),
            lines: Vec::new(),
            bugs: Vec::new(),
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
        self.may_refer |= chunk.batch.may_refer;
        self.unsent.extend(chunk.own.unsent);
        self.bugs.extend(chunk.batch.bugs);
        take.join(&mut self.gathered, chunk.own.gathered, records, histories);
    }
}

/// The lines of one chunk: rows for the assembler, or the histories of its records.
pub(super) struct Chunk<T> {
    pub start: u64,
    pub marks: Marks,
    pub batch: Batch,
    /// What its histories give, if its records are ones by themselves.
    pub own: Reading<T>,
}

/// Lines are found again by marks that are at least so many bytes apart.
const APART: usize = 4 << 10;

/// Counts the lines of a chunk, and marks where some of them start.
#[derive(Default)]
pub(super) struct Marks {
    pub newlines: u64,
    /// Starts of lines in the chunk, each with the number of lines before it.
    starts: Vec<(usize, u64)>,
    last: usize,
    /// Where the line at hand starts.
    line: usize,
}

impl Marks {
    /// Passes a text at an offset of the chunk: a record, mostly. A long one is marked for itself. `is_one` says that no line
    /// ends in it.
    pub fn pass(&mut self, at: usize, text: &[u8], is_one: bool) {
        if text.len() >= APART && self.line > self.last {
            self.mark();
        }
        if is_one {
            return;
        }
        if let Some(last) = memchr::memrchr(b'\n', text) {
            self.newlines += memchr::memchr_iter(b'\n', text).count() as u64;
            self.line = at + last + 1;
        }
    }

    fn mark(&mut self) {
        self.last = self.line;
        self.starts.push((self.line, self.newlines));
    }

    /// Passes the byte before `next`, which is no part of a record.
    pub fn between(&mut self, byte: u8, next: usize) {
        if byte != b'\n' {
            return;
        }
        self.newlines += 1;
        self.line = next;
        if next >= self.last + APART {
            self.mark();
        }
    }

    /// The marks of a chunk that starts at an offset of the doc, in a line of this number.
    pub fn of_doc(&self, start: u64, line: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first = (self.newlines > 0).then_some((start, line));
        first.into_iter().chain(self.starts.iter().map(move |(at, before)| (start + *at as u64, line + before)))
    }
}

impl Batch {
    /// Counts records from where the chunks before ended.
    pub fn renumber(&mut self, records: u32) {
        self.rows.iter_mut().for_each(|row| row.record += records);
        let findings = self.items.iter_mut().chain(&mut self.raised).chain(&mut self.cut);
        findings.for_each(|finding| finding.row.record += records);
        self.bugs.iter_mut().for_each(|bug| bug.record += records);
        for (_, mark) in &mut self.marks {
            match mark {
                Mark::Entry(entry) => entry.record += records,
                Mark::Own(event) => event.renumber(records),
                Mark::Lost(_, record) | Mark::Piece(_, record) | Mark::Unsent(_, record, _) => *record += records,
                Mark::Line { record, .. } => *record += records,
                Mark::NotConverted(finding) => finding.row.record += records,
                Mark::Ranked(rank) => rank.record += records,
                _ => {}
            }
        }
    }
}
