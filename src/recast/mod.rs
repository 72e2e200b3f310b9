//! Conversion of docs: their records are read, converted and checked, several at a time; what comes out comes in their
//! order. Every loss is a finding on the place of its source.

mod doc;
mod foreign;
mod mend;
mod record;

use std::io;

use crate::convert::{Plan, Thoughts};
use crate::dialect::{Dialect, Written};
use crate::format::{Format, FormatInfo};
use crate::lint::{self, DocLint, Findings, Judged, OnHistory, Options};
use crate::neutral::LossKind;
use crate::place::DocId;
use crate::rule::Cx;
use crate::schema::Schemas;
use crate::source::{Container, ReadAt};
use crate::target::{Severity, Target};

pub use doc::recast;

/// Checks a doc against its target. Histories of another dialect are converted, and what the conversion loses, or what
/// the target would refuse of its result, is found at the place of its source. `speaks` gives the dialect of a name.
pub fn check(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    speaks: &dyn Fn(&str) -> Option<&'static dyn Dialect>,
) -> io::Result<DocLint<()>> {
    let Some((target, to)) = options.target.and_then(|target| Some((target, speaks(target.dialect)?))) else {
        return lint::lint(id, bytes, options, threads, &Findings);
    };
    let mut found = lint::lint(id, bytes, options, threads, &Foreign(target))?;
    if std::mem::take(&mut found.made).is_empty() {
        return Ok(found);
    }
    let plan = Plan { to, written: Written::Request, thoughts: Thoughts::Auto, model: options.model.clone() };
    let how = Recasting { options, plan, least: Severity::Info, most: usize::MAX, foreign_only: true };
    let done = recast(id, bytes, &how, threads, &mut |_| Ok(()))?;
    // What cannot be read was told by the check itself.
    let converts =
        |judged: &Judged| judged.history.is_some() || judged.finding.code == LossKind::NOT_CONVERTED.code;
    found.judged.extend(done.judged.into_iter().filter(converts));
    found.judged.sort_by_key(|judged| (judged.finding.row.record, judged.finding.row.at.start));
    Ok(found)
}

/// Marks histories of another dialect than the target's.
struct Foreign(&'static Target);

impl OnHistory for Foreign {
    type Made = ();

    fn history(&self, _: &Cx<'_>, info: &'static FormatInfo, _: &[Judged], _: u32) -> Option<()> {
        (!lint::speaks(info, self.0)).then_some(())
    }

    fn renumber(_: &mut (), _: u32) {}
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
    /// Records whose conversations are in the target's dialect are passed over.
    pub foreign_only: bool,
}

impl Recasting<'_> {
    /// Number of the next conversation: among those that are written, or among all where some are passed over.
    fn number(&self, converted: u32, met: u32) -> u32 {
        if self.foreign_only { met } else { converted }
    }
}

/// What came of a doc.
pub struct Recast {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    pub records: u32,
    /// Conversations that were written.
    pub converted: u32,
    /// All that were met.
    pub met: u32,
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
            met: 0,
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
            unsent: Vec::new(),
            lines: self.lines,
            targets: Vec::new(),
            schemas: Schemas::Official,
        }
    }
}
