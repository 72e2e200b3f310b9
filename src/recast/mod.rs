//! Conversion of docs: their records are read, converted and checked, several at a time; what comes out comes in their
//! order. Every loss is a finding on the place of its source.

mod doc;
mod record;

use crate::convert::Plan;
use crate::format::Format;
use crate::lint::{DocLint, Judged, Options};
use crate::schema::Schemas;
use crate::source::Container;
use crate::target::Severity;

pub use doc::{Keep, Kept, recast};

/// What to convert to, and what is to be told of it.
pub struct Recasting<'r> {
    /// How the source is read and judged.
    pub options: &'r Options,
    pub plan: Plan,
    /// The least weight of findings that are kept; all are counted.
    pub least: Severity,
    /// How many findings are kept.
    pub most: usize,
}

/// What came of a doc.
pub struct Recast {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    pub records: u32,
    /// Conversations that were written.
    pub converted: u32,
    pub items: u64,
    /// Records of which nothing was written.
    pub failed: u32,
    /// What was lost and what failed, in the order of the doc.
    pub judged: Vec<Judged>,
    /// Findings by weight: noted, warnings, errors.
    pub counts: [u64; 3],
    pub lines: Vec<(u64, u64)>,
}

impl Recast {
    fn new(container: Container) -> Self {
        Recast {
            container,
            format: None,
            records: 0,
            converted: 0,
            items: 0,
            failed: 0,
            judged: Vec::new(),
            counts: [0; 3],
            lines: Vec::new(),
        }
    }

    /// Something of what the model saw is lost, or something was made up.
    pub fn loses(&self) -> bool {
        self.counts[Severity::Warning as usize] > 0
    }

    pub fn count(&self, severity: Severity) -> u64 {
        self.counts[severity as usize]
    }

    /// The findings as those of a check, to be told by the same report.
    pub fn told(self) -> DocLint<()> {
        DocLint {
            container: self.container,
            format: self.format,
            judged: self.judged,
            made: Vec::new(),
            records: self.records,
            histories: self.converted,
            items: self.items,
            lines: self.lines,
            schemas: Schemas::Official,
        }
    }
}
