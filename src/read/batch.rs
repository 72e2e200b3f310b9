//! The rows, marks and findings of a batch of records, before they are assembled.

use crate::format::{Assembler, Mark, REFERENCE};
use crate::history::{Finding, History, RepairAct, Row};
use crate::json::SavedTapes;

use super::records;
use super::skipped_records::SkippedRecord;

/// The results of reading a batch of consecutive records.
#[derive(Default)]
pub struct Batch {
    pub rows: Vec<Row>,
    /// Marks, each with the number of rows before it.
    pub marks: Vec<(u32, Mark)>,
    /// Findings about items, in the order of the doc.
    pub items: Vec<Finding>,
    /// Findings about records and bytes.
    pub record_findings: Vec<Finding>,
    pub records: u32,
    /// Set if the last record ends early: it is truncated if it is the last one of the doc, else damaged.
    pub truncated: Option<Finding>,
    /// That record's id and parent can be read.
    pub keeps_chain: bool,
    /// A record could not be read.
    pub broken: bool,
    /// A record may contain a reference of `slim`.
    pub may_refer: bool,
    /// Records that were skipped because of a bug of this program.
    pub bugs: Vec<SkippedRecord>,
    /// The tapes of its lines, if they are read again; before they are read, of those that were scanned to find the format.
    pub tapes: SavedTapes,
}

impl Batch {
    /// An empty batch with room for as many rows and marks as this one has.
    pub fn with_same_room(&self) -> Batch {
        let (rows, marks) = (Vec::with_capacity(self.rows.len()), Vec::with_capacity(self.marks.len()));
        Batch { rows, marks, ..Batch::default() }
    }

    /// Makes room for items, each of which has a row or a few, and for marks.
    pub fn reserve(&mut self, items: usize, marks: usize) {
        self.rows.reserve(items * 2);
        self.marks.reserve(marks);
    }

    /// Searches a text that cannot be scanned for references of `slim`.
    pub fn search_references(&mut self, text: &[u8]) {
        self.may_refer |= records::mentions(text, REFERENCE);
    }

    /// Reports the record that ends early as damaged, because another one follows it.
    pub fn report_truncated(&mut self) {
        if let Some(truncated) = self.truncated.take() {
            self.marks.push((self.rows.len() as u32, Mark::Unreadable(truncated.row.at, truncated.row.record)));
            let truncated = Finding { partner: None, ..truncated };
            self.record_findings.push(match std::mem::take(&mut self.keeps_chain) {
                true => truncated.variant(1).act(RepairAct::Placeholder),
                false => truncated,
            });
            self.broken = true;
        }
    }

    /// Moves the marks from `from` on to the front, up to the first that follows more than these rows or ends a history.
    pub fn begin_with_marks(&mut self, from: usize, rows: u32) {
        let is_first = |(before, mark): &&(u32, Mark)| *before == rows && !matches!(mark, Mark::End);
        let count = self.marks.iter().skip(from).take_while(is_first).count();
        if let Some(marks) = self.marks.get_mut(..from + count) {
            marks.rotate_right(count);
            marks.iter_mut().take(count).for_each(|(before, _)| *before = 0);
        }
    }

    /// Moves rows and marks into an assembler, and appends the histories that end to `ended`.
    pub fn assemble(&mut self, assembler: &mut Assembler, ended: &mut Vec<History>) {
        // The members of a record may be read in another order.
        if !self.items.is_sorted_by_key(|finding| finding.row.at.start) {
            self.items.sort_by_key(|finding| finding.row.at.start);
        }
        // A history is judged while the batch exists, so rows are moved into it or freed.
        let mut rows = std::mem::take(&mut self.rows);
        let (mut at, count) = (0, rows.len());
        let mut add = |assembler: &mut Assembler, from: usize, to: usize| match (from, to) == (0, rows.len()) {
            true => assembler.take_rows(std::mem::take(&mut rows)),
            false => assembler.rows(rows.get(from..to).unwrap_or_default()),
        };
        for (before, mark) in self.marks.drain(..) {
            add(assembler, at, before as usize);
            at = before as usize;
            ended.extend(assembler.mark(mark));
        }
        add(assembler, at, count);
        if self.broken {
            assembler.mark_broken();
        }
    }
}
