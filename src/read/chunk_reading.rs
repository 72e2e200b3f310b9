//! Results of chunks, joined in the order of the doc.

use crate::format::Mark;
use crate::source::Container;

use super::batch::Batch;
use super::{DocReading, ReadConsumer};

impl<T: Default> DocReading<T> {
    pub(super) fn new(container: Container) -> Self {
        DocReading {
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
            output: T::default(),
        }
    }

    /// Adds the results of the next chunk.
    pub(super) fn join(&mut self, chunk: ChunkReading<T>, take: &impl ReadConsumer<Output = T>) {
        let (records, histories) = (self.records, self.histories);
        self.format = self.format.or(chunk.own.format);
        self.records += chunk.batch.records;
        self.histories += chunk.own.histories;
        self.items += chunk.own.items;
        self.slimmed |= chunk.own.slimmed;
        self.may_refer |= chunk.batch.may_refer;
        self.unsent.extend(chunk.own.unsent);
        self.bugs.extend(chunk.batch.bugs);
        take.join(&mut self.output, chunk.own.output, records, histories);
    }
}

/// The results of one chunk: rows for the assembler, or the histories of its records.
pub(super) struct ChunkReading<T> {
    pub start: u64,
    pub marks: LineMarks,
    pub batch: Batch,
    /// The results of its histories, if its records are histories by themselves.
    pub own: DocReading<T>,
}

/// Minimum distance of line marks in bytes.
const APART: usize = 4 << 10;

/// Counts the lines of a chunk, and records the starts of some of them.
#[derive(Default)]
pub(super) struct LineMarks {
    pub newlines: u64,
    /// Offsets of lines in the chunk, each with the number of lines before it.
    starts: Vec<(usize, u64)>,
    last: usize,
    /// Start of the current line.
    line: usize,
}

impl LineMarks {
    /// Passes a text at an offset of the chunk, usually a record. A long one gets its own mark. `is_single_line`:
    /// no line ends in it.
    pub fn pass(&mut self, at: usize, text: &[u8], is_single_line: bool) {
        if text.len() >= APART && self.line > self.last {
            self.mark();
        }
        if is_single_line {
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

    /// Passes the byte before `next`, which is not part of a record.
    pub fn pass_byte(&mut self, byte: u8, next: usize) {
        if byte != b'\n' {
            return;
        }
        self.newlines += 1;
        self.line = next;
        if next >= self.last + APART {
            self.mark();
        }
    }

    /// The marks as (offset in the doc, line number), for a chunk at offset `start` in line `line`.
    pub fn of_doc(&self, start: u64, line: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first = (self.newlines > 0).then_some((start, line));
        first.into_iter().chain(self.starts.iter().map(move |(at, before)| (start + *at as u64, line + before)))
    }
}

impl Batch {
    /// Renumbers records, given the number of records in the chunks before.
    pub fn renumber(&mut self, records: u32) {
        self.rows.iter_mut().for_each(|row| row.record += records);
        let findings = self.items.iter_mut().chain(&mut self.record_findings).chain(&mut self.truncated);
        findings.for_each(|finding| finding.row.record += records);
        self.bugs.iter_mut().for_each(|bug| bug.record += records);
        for (_, mark) in &mut self.marks {
            match mark {
                Mark::Entry(entry) => entry.record += records,
                Mark::Custom(event) => event.renumber(records),
                Mark::Unreadable(_, record) | Mark::Fragment(_, record) | Mark::Unsent(_, record, _) => {
                    *record += records
                }
                Mark::Line { record, .. } => *record += records,
                Mark::NotConverted(finding) => finding.row.record += records,
                Mark::Ranked(rank) => rank.record += records,
                _ => {}
            }
        }
    }
}
