//! Conversion of docs: their records are read, converted and checked, several at a time; what comes out comes in their
//! order. Every loss is a finding on the place of its source.

mod doc;
mod foreign;
mod record;

use std::io;

use crate::convert::{Plan, Thoughts};
use crate::dialect::{Dialect, Written};
use crate::format::Format;
use crate::lint::{self, DocLint, Findings, Judged, Options};
use crate::place::DocId;
use crate::schema::Schemas;
use crate::source::{Container, ReadAt};
use crate::target::Severity;

pub use doc::{Keep, Kept, recast};

/// Checks a doc against its target. Histories of another dialect are converted, and what the conversion loses, or what
/// the target would refuse of its result, is found at the place of its source. `speaks` gives the dialect of a name.
pub fn check(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    speaks: &dyn Fn(&str) -> Option<&'static dyn Dialect>,
) -> io::Result<DocLint<()>> {
    let found = lint::lint(id, bytes, options, threads, &Findings)?;
    let Some(to) = options
        .target
        .filter(|target| found.format.is_some_and(|format| !lint::speaks(format.info(), target)))
        .and_then(|target| speaks(target.dialect))
    else {
        return Ok(found);
    };
    let plan = Plan {
        to,
        written: Written::Request,
        thoughts: Thoughts::Auto,
        model: options.model.clone(),
        newest_first: options.newest_first,
    };
    let how = Recasting { options, plan, least: Severity::Info, most: usize::MAX };
    let done = recast(id, bytes, &how, threads, &mut |_| Ok(()))?;
    let (histories, items, slimmed) = (found.histories, found.items, found.slimmed);
    Ok(DocLint { histories, items, slimmed, ..done.told() })
}

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
            slimmed: false,
            lines: self.lines,
            schemas: Schemas::Official,
        }
    }
}
