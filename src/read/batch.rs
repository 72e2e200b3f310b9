//! What one stretch of records gave, until it is put together with the others.

use crate::format::{Assembler, Mark};
use crate::history::{Act, Finding, History, Row};

use super::skipped::Skipped;

/// What one stretch of records gave.
#[derive(Default)]
pub struct Batch {
    pub rows: Vec<Row>,
    /// (number of rows before it, mark)
    pub marks: Vec<(u32, Mark)>,
    /// Findings on items, in the order of the doc.
    pub items: Vec<Finding>,
    /// Findings on records and bytes.
    pub raised: Vec<Finding>,
    pub records: u32,
    /// The last record ends early: it is cut if it is the last one of the doc, else damaged.
    pub cut: Option<Finding>,
    /// That record shows what it is called and what it follows.
    pub keeps_chain: bool,
    /// A record could not be read.
    pub broken: bool,
    /// A record may hold a reference.
    pub may_refer: bool,
    /// Records that were skipped because of a bug here.
    pub bugs: Vec<Skipped>,
}

impl Batch {
    /// More comes after the record that ends early, so it is damage.
    pub fn damage_cut(&mut self) {
        if let Some(cut) = self.cut.take() {
            self.marks.push((self.rows.len() as u32, Mark::Lost(cut.row.at, cut.row.record)));
            let cut = Finding { partner: None, ..cut };
            self.raised.push(match std::mem::take(&mut self.keeps_chain) {
                true => cut.variant(1).act(Act::Placeholder),
                false => cut,
            });
            self.broken = true;
        }
    }

    /// Puts rows and marks into an assembler; hands out the histories that end.
    pub fn assemble(&mut self, assembler: &mut Assembler, mut done: impl FnMut(History, &[Finding])) {
        let mut at = 0;
        for (before, mark) in self.marks.drain(..) {
            assembler.rows(self.rows.get(at..before as usize).unwrap_or_default());
            at = before as usize;
            if let Some(history) = assembler.mark(mark) {
                done(history, &self.items);
            }
        }
        assembler.rows(self.rows.get(at..).unwrap_or_default());
        if self.broken {
            assembler.broken();
        }
        self.rows.clear();
    }
}
