//! What the passes over a doc gather, stretch by stretch, in the order of the doc.

use std::collections::HashSet;

use crate::format::{Format, Unsent};
use crate::history::Known;
use crate::source::Container;

use super::stage::Batch;
use super::{DocLint, Judged, Options};

/// What a pass, or a chunk of it, has gathered.
pub(super) struct Gathered<T> {
    pub format: Option<&'static dyn Format>,
    pub targets: Vec<&'static str>,
    pub judged: Vec<Judged>,
    pub made: Vec<T>,
    pub records: u32,
    pub histories: u32,
    pub items: u64,
    pub slimmed: bool,
    pub unsent: Vec<Unsent>,
    pub lines: Vec<(u64, u64)>,
    pub wanted: HashSet<u64>,
    pub known: Known,
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Gathered {
            format: None,
            targets: Vec::new(),
            judged: Vec::new(),
            made: Vec::new(),
            records: 0,
            histories: 0,
            items: 0,
            slimmed: false,
            unsent: Vec::new(),
            lines: Vec::new(),
            wanted: HashSet::new(),
            known: Known::default(),
        }
    }
}

impl<T> Gathered<T> {
    pub fn finish(mut self, container: Container, options: &Options) -> DocLint<T> {
        self.judged.sort_by_key(Judged::order);
        DocLint {
            container,
            format: self.format,
            targets: self.targets,
            schemas: options.schemas.clone(),
            judged: self.judged,
            made: self.made,
            records: self.records,
            histories: self.histories,
            items: self.items,
            slimmed: self.slimmed,
            unsent: self.unsent,
            lines: self.lines,
        }
    }
}

/// The lines of one chunk: rows for the assembler, or the verdicts on its records.
pub(super) struct Chunk<T> {
    pub start: u64,
    pub newlines: u64,
    pub batch: Batch,
    pub own: Gathered<T>,
}

impl<T> Chunk<T> {
    /// Counts records and histories from where the chunks before ended.
    pub fn renumber(&mut self, records: u32, histories: u32) {
        self.batch.rows.iter_mut().for_each(|row| row.record += records);
        let findings = self.batch.items.iter_mut().chain(&mut self.batch.raised).chain(&mut self.batch.cut);
        findings.for_each(|finding| finding.row.record += records);
        for judged in &mut self.own.judged {
            judged.finding.row.record += records;
            judged.history = judged.history.map(|n| n + histories);
        }
    }
}

impl<T> Gathered<T> {
    /// A history was judged for this target.
    pub fn judged_for(&mut self, target: &'static str) {
        if !self.targets.contains(&target) {
            self.targets.push(target);
        }
    }

    pub fn take(&mut self, chunk: Chunk<T>) {
        self.format = self.format.or(chunk.own.format);
        chunk.own.targets.iter().for_each(|target| self.judged_for(target));
        self.records += chunk.batch.records;
        self.histories += chunk.own.histories;
        self.items += chunk.own.items;
        self.slimmed |= chunk.own.slimmed;
        self.unsent.extend(chunk.own.unsent);
        self.judged.extend(chunk.own.judged);
        self.made.extend(chunk.own.made);
        self.wanted.extend(chunk.own.wanted);
        self.known.merge(chunk.own.known);
    }
}
