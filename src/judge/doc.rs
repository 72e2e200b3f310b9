//! Judging one doc, from its bytes to its findings. Where a history misses items that another one of the same doc may
//! show, the doc is read again for them.
#![expect(clippy::indexing_slicing, reason = "the table of targets is never empty")]

use std::collections::HashSet;
use std::io;

use crate::formats::agents::self_repair;
use crate::history::{Finding, Known, Version};
use crate::place::DocId;
use crate::read::{self, Emit, Found, Reading, Take, Texts};
use crate::rules;
use crate::source::{Container, ReadAt};
use crate::targets;

use super::bench::{Bench, of_live_rows};
use super::items::ItemRules;
use super::{Case, Judged, JudgedDoc, OnHistory, Options, healing};

/// Judges a doc on up to `threads` threads.
pub fn judge<H: OnHistory>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    on: &H,
) -> io::Result<JudgedDoc<H::Made>> {
    judging(id, bytes, options, threads, on, &mut |_| Ok(()))
}

/// The same, and hands over what is made of histories as it goes on.
pub fn judging<H: OnHistory>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    on: &H,
    emit: Emit<'_, Vec<H::Made>>,
) -> io::Result<JudgedDoc<H::Made>> {
    let mut pass = |judging: &Judging<'_, H>| {
        let mut emit = |gathered: &mut Gathered<H::Made>| emit(&mut gathered.made);
        read::read(id, bytes, &options.read, threads, judging, &mut emit)
    };
    passes(bytes, options, on, &mut pass)
}

/// Judges a doc that was made here, so that what it lies in is known.
pub fn judge_made<H: OnHistory>(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    options: &Options,
    threads: usize,
    on: &H,
) -> io::Result<JudgedDoc<H::Made>> {
    let mut pass =
        |judging: &Judging<'_, H>| read::read_made(id, bytes, container, &options.read, threads, judging);
    passes(bytes, options, on, &mut pass)
}

type Pass<'p, H, T> = &'p mut dyn FnMut(&Judging<'_, H>) -> io::Result<Reading<Gathered<T>>>;

/// One pass, and others where that missed something.
fn passes<H: OnHistory>(
    bytes: &dyn ReadAt,
    options: &Options,
    on: &H,
    pass: Pass<'_, H, H::Made>,
) -> io::Result<JudgedDoc<H::Made>> {
    let nothing = Known::default();
    let judging = Judging { bytes, options, on, known: &nothing, wanted: None };
    let mut first = pass(&judging)?;
    if first.gathered.wanted.is_empty() {
        return Ok(JudgedDoc { alone: true, ..finish(first, options) });
    }
    // It may be elsewhere in the doc: look for it, and judge again if it is.
    let wanted = std::mem::take(&mut first.gathered.wanted);
    let found = pass(&Judging { wanted: Some(&wanted), ..judging })?.gathered.known;
    if found.is_empty() {
        return Ok(finish(first, options));
    }
    Ok(finish(pass(&Judging { known: &found, ..judging })?, options))
}

fn finish<T>(found: Reading<Gathered<T>>, options: &Options) -> JudgedDoc<T> {
    let mut judged = found.gathered.judged;
    if let Some(format) = found.format.filter(|_| healing::applies(options)) {
        let version = options.agent_version.or(found.gathered.agent_version);
        healing::heal(&mut judged, None, &self_repair::healed(format.info().name, version), options);
    }
    let spans = found.format.is_some_and(|format| format.info().histories.shares_rows());
    if spans {
        once_a_place(&mut judged);
    }
    judged.sort_by_key(Judged::order);
    JudgedDoc {
        container: found.container,
        format: found.format,
        targets: found.gathered.targets,
        schemas: options.schemas.clone(),
        judged,
        made: found.gathered.made,
        records: found.records,
        histories: found.histories,
        items: found.items,
        slimmed: found.slimmed,
        may_refer: found.may_refer,
        alone: false,
        unsent: found.unsent,
        lines: found.lines,
        bugs: found.bugs,
    }
}

/// Branches share what comes before their fork: each finding there is reported once.
fn once_a_place(judged: &mut Vec<Judged>) {
    let mut seen = HashSet::new();
    judged.retain(|judged| {
        let finding = &judged.finding;
        seen.insert((finding.code, finding.variant, finding.row.at))
    });
}

/// What the histories of a doc, or of a stretch of it, gave.
struct Gathered<T> {
    targets: Vec<&'static str>,
    judged: Vec<Judged>,
    made: Vec<T>,
    /// The newest version of an agent that the histories name.
    agent_version: Option<Version>,
    /// Ids of items that a history misses.
    wanted: HashSet<u64>,
    known: Known,
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Gathered {
            targets: Vec::new(),
            judged: Vec::new(),
            made: Vec::new(),
            agent_version: None,
            wanted: HashSet::new(),
            known: Known::default(),
        }
    }
}

impl<T> Gathered<T> {
    fn judged_for(&mut self, target: &'static str) {
        if !self.targets.contains(&target) {
            self.targets.push(target);
        }
    }
}

struct Judging<'j, H> {
    bytes: &'j dyn ReadAt,
    options: &'j Options,
    on: &'j H,
    known: &'j Known,
    /// Only gather full items with these ids.
    wanted: Option<&'j HashSet<u64>>,
}

impl<H> Clone for Judging<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Judging<'_, H> {}

impl<H: OnHistory> Take for Judging<'_, H> {
    type Visitor<'v>
        = ItemRules<'v>
    where
        Self: 'v;
    type Gathered = Gathered<H::Made>;

    fn visitor(&self) -> ItemRules<'_> {
        ItemRules::new(self.options)
    }

    fn history(&self, found: Found<'_>, into: &mut Self::Gathered) {
        let Found { history, info, number, items, record } = found;
        if let Some(wanted) = self.wanted {
            into.known.gather(&history, wanted);
            return;
        }
        let bench = Bench::new(&history, info, self.options);
        into.judged_for(bench.target.name);
        into.agent_version = into.agent_version.max(history.settings.agent_version);
        let texts = Texts::new(self.bytes, info.dialect).knowing(record);
        let cx = bench.cx(&texts, self.known);
        let case = Case { cx: &cx, info, judged: &[], number, options: self.options, bench: &bench };
        if !self.on.judges() {
            into.made.extend(self.on.history(&case));
            return;
        }
        let items = if items.is_empty() { Vec::new() } else { of_live_rows(&history, items) };
        let (judged, unheaded) = bench.judge(&cx, &items, self.options, &self.options.enabled, number);
        into.made.extend(self.on.history(&Case { judged: &judged, ..case }));
        into.judged.extend(judged);
        if self.known.is_empty() {
            if info.records_responses {
                into.wanted.extend(unheaded);
            }
            into.wanted.extend(history.rows.iter().filter(|row| row.is_reference()).map(|row| row.id));
            into.wanted.extend(history.settings.previous.map(|previous| previous.id));
        }
    }

    /// What is said of bytes, records and nodes weighs the same for every target.
    fn raise(&self, finding: Finding, into: &mut Self::Gathered) {
        let Some(rule) = rules::by_code(finding.code).filter(|rule| self.options.enabled.has(rule.code)) else {
            return;
        };
        let target = self.options.target.unwrap_or(targets::TARGETS[0]);
        let variant = rule.variant(finding.variant);
        if let Some(severity) = variant.levels.stored {
            let loss = variant.loss;
            into.judged.push(Judged { finding, severity, target, history: None, loss, flattens: false });
        }
    }

    fn join(&self, into: &mut Self::Gathered, mut next: Self::Gathered, records: u32, histories: u32) {
        for judged in &mut next.judged {
            judged.finding.row.record += records;
            judged.history = judged.history.map(|n| n + histories);
        }
        for made in &mut next.made {
            H::renumber(made, histories);
            H::renumber_records(made, records);
        }
        next.targets.iter().for_each(|target| into.judged_for(target));
        into.judged.append(&mut next.judged);
        into.made.append(&mut next.made);
        into.agent_version = into.agent_version.max(next.agent_version);
        into.wanted.extend(next.wanted);
        into.known.merge(next.known);
    }
}
