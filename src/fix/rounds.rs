//! Rounds: plan, patch, judge the patched bytes, and again, until no finding is left whose fix applies. The pass that
//! judges a patch reads what will be written, so what is reported as left is what is left.

use std::collections::{HashMap, HashSet};
use std::io;

use crate::history::{Act, Code, Remedy};
use crate::lint::{DocLint, Judged, Options, lint, lint_like};
use crate::place::{DocId, Edit, Patch, Pieces, Place};
use crate::source::{Container, Patched, ReadAt, lines};
use crate::target::Severity;

use super::plan::{HistoryPlan, Planner};
use super::render::render;
use super::{Action, Cause, Change, FixOptions, Refusal};

/// A round that leaves something is followed by another, so many times.
const ROUNDS: usize = 5;

/// What a repair does to a doc.
pub struct Fixed {
    pub patch: Patch,
    /// By place in the original bytes.
    pub changes: Vec<Change>,
    /// The findings on the original bytes.
    pub before: DocLint<HistoryPlan>,
    /// The findings that are left, with their places in the patched bytes; `None` if nothing was changed.
    pub after: Option<DocLint<HistoryPlan>>,
    /// Findings on the patched bytes whose fix was not made, and why.
    pub refusals: Vec<Refusal>,
    /// Histories that an attempt made no better, left as they were.
    pub given_up: Vec<u32>,
}

impl Fixed {
    /// What is left.
    pub fn left(&self) -> &DocLint<HistoryPlan> {
        self.after.as_ref().unwrap_or(&self.before)
    }
}

/// Repairs a doc.
pub fn fix(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    wanted: &FixOptions,
    threads: usize,
) -> io::Result<Fixed> {
    let mut given_up: Vec<u32> = Vec::new();
    loop {
        let fixed = attempt(id, bytes, options, wanted, threads, &given_up)?;
        let worse = no_better(&fixed);
        if worse.is_empty() || worse.iter().all(|number| given_up.contains(number)) {
            return Ok(Fixed { given_up, ..fixed });
        }
        given_up.extend(worse);
    }
}

fn attempt(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    wanted: &FixOptions,
    threads: usize,
    given_up: &[u32],
) -> io::Result<Fixed> {
    let planner = Planner { options: wanted };
    let before = lint(id, bytes, options, threads, &planner)?;
    let mut fixed = Fixed {
        patch: Patch::default(),
        changes: Vec::new(),
        before,
        after: None,
        refusals: Vec::new(),
        given_up: Vec::new(),
    };
    for round in 0..ROUNDS {
        let pieces = Pieces::new(fixed.patch.edits(id), id, bytes.len());
        let view = Patched::new(bytes, pieces.clone());
        let current = fixed.after.as_mut().unwrap_or(&mut fixed.before);
        let container = current.container;
        current.made.retain(|plan| !given_up.contains(&plan.number));
        let plans = std::mem::take(&mut current.made);
        fixed.refusals = plans.iter().flat_map(|plan| plan.refusals.iter().copied()).collect();
        let mut patch = render(id, &view, container, &plans)?;
        let raised = raised_edits(id, &view, container, &current.judged, wanted)?;
        patch.add(raised.iter().map(|(edit, _)| edit.clone()));
        if patch.is_empty() {
            break;
        }
        let changes = plans.iter().flat_map(|plan| plan.changes.iter().copied());
        let changes = changes.chain(raised.into_iter().map(|(_, change)| change));
        fixed.changes.extend(changes.map(|change| to_original(change, &pieces, round)));
        fixed.patch = fixed.patch.then(&patch, |_| bytes.len());
        let view = Patched::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
        let like = Some((fixed.before.container, fixed.before.format));
        fixed.after = Some(lint_like(id, &view, options, threads, &planner, like)?);
    }
    fixed.changes = settled(std::mem::take(&mut fixed.changes));
    Ok(fixed)
}

/// A change of a later round speaks of patched bytes: its item's place is led back to the original ones.
fn to_original(mut change: Change, pieces: &Pieces, round: usize) -> Change {
    if round > 0 {
        change.row.at = pieces.original(change.row.at);
        change.other = change.other.map(|other| pieces.original(other));
        if let Cause::Rule(_, _, at) = &mut change.cause {
            *at = pieces.original(*at);
        }
    }
    change
}

/// Of an item that goes in the end, only that is told.
fn settled(mut changes: Vec<Change>) -> Vec<Change> {
    let dropped: HashSet<Place> =
        changes.iter().filter(|change| change.action == Action::Drop).map(|change| change.row.at).collect();
    let mut seen = HashSet::new();
    changes.retain(|change| {
        let stays = change.action == Action::Drop || !dropped.contains(&change.row.at);
        let rule = match change.cause {
            Cause::Rule(code, ..) => Some(code),
            Cause::Flag(_) => None,
        };
        stays && seen.insert((change.row.at, change.action, change.what, rule))
    });
    changes.sort_by_key(|change| (change.row.at.order(), change.action));
    changes
}

/// Histories in which an error was to be repaired, and that have as many errors as before.
fn no_better(fixed: &Fixed) -> Vec<u32> {
    let Some(after) = &fixed.after else { return Vec::new() };
    let errors = |lint: &DocLint<HistoryPlan>| {
        let mut count: HashMap<u32, usize> = HashMap::new();
        for judged in lint.judged.iter().filter(|judged| judged.severity == Severity::Error) {
            *count.entry(judged.history.unwrap_or(u32::MAX)).or_default() += 1;
        }
        count
    };
    let (before, after) = (errors(&fixed.before), errors(after));
    let tried: HashSet<u32> = fixed.changes.iter().filter_map(|change| change.history).collect();
    let mut worse: Vec<u32> = tried
        .into_iter()
        .filter(|number| {
            let (had, has) = (before.get(number).copied().unwrap_or(0), after.get(number).copied().unwrap_or(0));
            has > had || has == had && had > 0 && repairs_errors(fixed, *number)
        })
        .collect();
    worse.sort_unstable();
    worse
}

/// Whether a change of this history was made for an error.
fn repairs_errors(fixed: &Fixed, number: u32) -> bool {
    let codes: HashSet<(Code, u8)> = fixed
        .before
        .judged
        .iter()
        .filter(|judged| judged.history == Some(number) && judged.severity == Severity::Error)
        .map(|judged| (judged.finding.code, judged.finding.variant))
        .collect();
    fixed.changes.iter().any(|change| match change.cause {
        Cause::Rule(code, variant, _) => change.history == Some(number) && codes.contains(&(code, variant)),
        Cause::Flag(_) => false,
    })
}

/// Edits for findings on bytes: a byte-order mark, a cut line.
fn raised_edits(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    judged: &[Judged],
    wanted: &FixOptions,
) -> io::Result<Vec<(Edit, Change)>> {
    let mut edits = Vec::new();
    for judged in judged.iter().filter(|judged| judged.history.is_none() && wanted.wants(judged)) {
        let Remedy::One(Act::Drop) = judged.finding.remedy else { continue };
        let mut row = judged.finding.row;
        // A mark is its own place; a cut line is found at the byte where it breaks off.
        if row.at.start >= container.mark() {
            row.at = lines::around(bytes, id, container.mark(), row.at.start.max(1) - 1)?;
        }
        if judged.variant().loss == crate::rule::Loss::Lossy && wanted.lossless {
            continue;
        }
        let change = Change {
            cause: Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at),
            row,
            other: None,
            action: Action::Drop,
            loss: judged.variant().loss,
            what: judged.variant().fix,
            history: None,
        };
        edits.push((Edit::remove(row.at), change));
    }
    Ok(edits)
}
