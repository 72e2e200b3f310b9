//! Judges one doc, from its bytes to its findings. If a history lacks items that another history of the same doc
//! may contain, the doc is read again for them.
#![expect(clippy::indexing_slicing, reason = "the table of targets is never empty")]

use std::io;

use foldhash::HashSet;

use crate::history::{Finding, StoredItems, Version};
use crate::json::Tape;
use crate::place::DocId;
use crate::read::{self, DocReading, Emit, FoundHistory, ReadConsumer, TextReader};
use crate::rules;
use crate::source::{Container, ReadAt};
use crate::targets;

use super::evaluate::{Evaluation, findings_on_rows};
use super::items::ItemRules;
use super::{HistoryVisitor, JudgedDoc, JudgedHistory, NewValues, Options, WeighedFinding, agent_acts};

/// Judges a doc on up to `threads` threads.
pub fn judge<H: HistoryVisitor>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    visitor: &H,
) -> io::Result<JudgedDoc<H::Output>> {
    judge_streaming(id, bytes, options, threads, visitor, &mut |_| Ok(()))
}

/// Judges a doc, and passes the outputs of histories to `emit` while it reads on.
pub fn judge_streaming<H: HistoryVisitor>(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    visitor: &H,
    emit: Emit<'_, Vec<H::Output>>,
) -> io::Result<JudgedDoc<H::Output>> {
    let mut pass = |judging: &DocJudge<'_, H>| {
        let mut emit = |gathered: &mut DocFindings<H::Output>| emit(&mut gathered.outputs);
        read::read(id, bytes, &options.read, threads, judging, &mut emit)
    };
    run_passes(options, visitor, &mut pass)
}

/// Judges a doc whose container is known. `scanned` is the tape of a document that was scanned.
pub fn judge_in_container<H: HistoryVisitor>(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    options: &Options,
    threads: usize,
    visitor: &H,
    mut scanned: Option<&mut Tape>,
) -> io::Result<JudgedDoc<H::Output>> {
    let mut pass = |judging: &DocJudge<'_, H>| {
        read::read_synthetic(id, bytes, container, &options.read, threads, judging, scanned.take())
    };
    run_passes(options, visitor, &mut pass)
}

type ReadPass<'p, H, T> = &'p mut dyn FnMut(&DocJudge<'_, H>) -> io::Result<DocReading<DocFindings<T>>>;

/// Runs one pass, and more if that lacked items.
fn run_passes<H: HistoryVisitor>(
    options: &Options,
    visitor: &H,
    pass: ReadPass<'_, H, H::Output>,
) -> io::Result<JudgedDoc<H::Output>> {
    let nothing = StoredItems::default();
    let judging = DocJudge { options, visitor, stored_items: &nothing, only_ids: None };
    let mut first = pass(&judging)?;
    if first.output.missing_ids.is_empty() {
        return Ok(JudgedDoc { is_self_contained: true, ..finish(first, options) });
    }
    // They may be elsewhere in the doc: look for them, and judge again if they are found.
    let missing_ids = std::mem::take(&mut first.output.missing_ids);
    let found = pass(&DocJudge { only_ids: Some(&missing_ids), ..judging })?.output.stored_items;
    if found.is_empty() {
        return Ok(finish(first, options));
    }
    Ok(finish(pass(&DocJudge { stored_items: &found, ..judging })?, options))
}

fn finish<T>(found: DocReading<DocFindings<T>>, options: &Options) -> JudgedDoc<T> {
    let mut findings = found.output.judged;
    if let Some(format) = found.format {
        let acts = options.read.agent_acts(format.info().name, found.output.agent_version);
        agent_acts::apply(&mut findings, None, &acts, options);
    }
    let spans = found.format.is_some_and(|format| format.info().histories.shares_rows());
    if spans {
        dedup_by_place(&mut findings);
    }
    WeighedFinding::sort(&mut findings);
    JudgedDoc {
        container: found.container,
        format: found.format,
        agent_version: found.output.agent_version,
        targets: found.output.targets,
        schemas: options.schemas.clone(),
        findings,
        outputs: found.output.outputs,
        records: found.records,
        histories: found.histories,
        items: found.items,
        slimmed: found.slimmed,
        may_have_references: found.may_refer,
        is_self_contained: false,
        unsent: found.unsent,
        lines: found.lines,
        bugs: found.bugs,
        new_values: NewValues::default(),
    }
}

/// Branches share what comes before their fork: each finding there is reported once.
fn dedup_by_place(judged: &mut Vec<WeighedFinding>) {
    let mut seen = HashSet::default();
    judged.retain(|judged| {
        let finding = &judged.finding;
        seen.insert((finding.code, finding.variant, finding.row.at))
    });
}

/// Findings and outputs of the histories of a doc, or of a stretch of it.
struct DocFindings<T> {
    targets: Vec<&'static str>,
    judged: Vec<WeighedFinding>,
    outputs: Vec<T>,
    /// The newest version of an agent that the histories name.
    agent_version: Option<Version>,
    /// Ids of items that a history lacks.
    missing_ids: HashSet<u64>,
    stored_items: StoredItems,
}

impl<T> Default for DocFindings<T> {
    fn default() -> Self {
        DocFindings {
            targets: Vec::new(),
            judged: Vec::new(),
            outputs: Vec::new(),
            agent_version: None,
            missing_ids: HashSet::default(),
            stored_items: StoredItems::default(),
        }
    }
}

impl<T> DocFindings<T> {
    fn add_target(&mut self, target: &'static str) {
        if !self.targets.contains(&target) {
            self.targets.push(target);
        }
    }
}

struct DocJudge<'j, H> {
    options: &'j Options,
    visitor: &'j H,
    stored_items: &'j StoredItems,
    /// If set, only full items with these ids are collected.
    only_ids: Option<&'j HashSet<u64>>,
}

impl<H> Clone for DocJudge<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for DocJudge<'_, H> {}

impl<H: HistoryVisitor> ReadConsumer for DocJudge<'_, H> {
    type Visitor<'v>
        = ItemRules<'v>
    where
        Self: 'v;
    type Output = DocFindings<H::Output>;

    fn visitor(&self) -> ItemRules<'_> {
        ItemRules::new(self.options)
    }

    fn history(&self, found: FoundHistory<'_>, into: &mut Self::Output) {
        let FoundHistory { history, info, number, items, source, bytes } = found;
        if let Some(only_ids) = self.only_ids {
            into.stored_items.collect(&history, only_ids);
            return;
        }
        let evaluation = Evaluation::new(&history, info, self.options);
        into.add_target(evaluation.target.name);
        into.agent_version = into.agent_version.max(history.settings.agent_version);
        let texts = TextReader::new(bytes, info.dialect).with_scanned(source.scanned);
        let cx = evaluation.context(&texts, self.stored_items);
        let case = JudgedHistory {
            cx: &cx,
            info,
            findings: &[],
            number,
            is_alone: source.is_alone,
            options: self.options,
            evaluation: &evaluation,
        };
        if !self.visitor.needs_findings() {
            into.outputs.extend(self.visitor.visit(&case));
            return;
        }
        let items = findings_on_rows(&history, items);
        let (judged, unheaded) = evaluation.judge(&cx, &items, self.options, &self.options.enabled, number);
        into.outputs.extend(self.visitor.visit(&JudgedHistory { findings: &judged, ..case }));
        // Most documents have one history: its findings are not copied.
        match into.judged.is_empty() {
            true => into.judged = judged,
            false => into.judged.extend(judged),
        }
        if self.stored_items.is_empty() {
            if info.records_responses {
                into.missing_ids.extend(unheaded);
            }
            into.missing_ids.extend(history.rows.iter().filter(|row| row.is_reference()).map(|row| row.id));
            into.missing_ids.extend(history.settings.previous.map(|previous| previous.id));
        }
    }

    /// Findings on bytes, records and nodes have the same severity for every target.
    fn raise(&self, finding: Finding, into: &mut Self::Output) {
        let Some(rule) = rules::by_code(finding.code).filter(|rule| self.options.enabled.has(rule.code)) else {
            return;
        };
        let target = self.options.target.unwrap_or(targets::TARGETS[0]);
        let variant = rule.variant(finding.variant);
        if let Some(severity) = variant.levels.stored {
            let loss = variant.loss;
            into.judged.push(WeighedFinding { finding, severity, target, history: None, loss, flattens: false });
        }
    }

    fn join(&self, into: &mut Self::Output, mut next: Self::Output, records: u32, histories: u32) {
        for judged in &mut next.judged {
            judged.finding.row.record += records;
            judged.history = judged.history.map(|n| n + histories);
        }
        for outputs in &mut next.outputs {
            H::renumber(outputs, histories);
            H::renumber_records(outputs, records);
        }
        next.targets.iter().for_each(|target| into.add_target(target));
        into.judged.append(&mut next.judged);
        into.outputs.append(&mut next.outputs);
        into.agent_version = into.agent_version.max(next.agent_version);
        into.missing_ids.extend(next.missing_ids);
        into.stored_items.merge(next.stored_items);
    }
}
