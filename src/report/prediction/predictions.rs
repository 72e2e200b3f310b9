//! Predictions of `check`: what `fix` with the same flags does, determined by planning it. A fix that would be refused,
//! or that would leave as many errors, does not count.

use std::io;

use foldhash::HashMap;

use crate::format::HistoryScope;
use crate::history::codes;
use crate::judge::{self, JudgedDoc, Options, WeighedFinding};
use crate::place::DocId;
use crate::repair;
use crate::repair::{DocRepair, FixOptions, HistoryPlan, HistoryPreview};
use crate::source::{Container, ReadAt};
use crate::target::Severity;

pub use super::fix_outcome::{PredictedFix, fix_outcomes};
use super::trial::{self, Trial};
use crate::report::{ContentDisplay, Diagnostic, FindingSample, diagnose_batches, diagnose_some, proposal};

/// The predicted fixes of a document.
pub struct Predictions {
    /// The outcome for each finding, in order.
    pub outcomes: Vec<PredictedFix>,
    /// Number of errors and warnings that the default repair resolves.
    pub resolved: u64,
    /// The repair of the whole document; `None` if that was not planned.
    fixed: Option<DocRepair>,
}

impl Predictions {
    /// The same outcome for all findings of a document.
    pub fn uniform<T>(found: &JudgedDoc<T>, predicted: PredictedFix) -> Self {
        Predictions { outcomes: vec![predicted; found.findings.len()], resolved: 0, fixed: None }
    }

    /// The outcome of another repair for each finding that remains after one: what was refused is refused again.
    pub fn of_remaining(fixed: &DocRepair) -> Self {
        let remaining = &fixed.remaining().findings;
        let why_not = fixed.refusal_reasons();
        let outcome = |judged| why_not(judged).map_or(PredictedFix::Requested, PredictedFix::Impossible);
        let outcomes: Vec<PredictedFix> = remaining.iter().map(outcome).collect();
        let is_resolved = |(judged, outcome): &(&WeighedFinding, &PredictedFix)| {
            judged.severity > Severity::Info && outcome.availability(judged).0
        };
        let resolved = remaining.iter().zip(&outcomes).filter(is_resolved).count() as u64;
        Predictions { outcomes, resolved, fixed: None }
    }

    /// The repair of the whole document, if it was planned and fixes any of the findings.
    pub fn repair(&self, found: &[WeighedFinding]) -> Option<&DocRepair> {
        let is_made = |(judged, predicted): (&WeighedFinding, &PredictedFix)| predicted.availability(judged).0;
        self.fixed.as_ref().filter(|_| found.iter().zip(&self.outcomes).any(is_made))
    }

    /// Diagnostics of some of the findings of a document, with the predicted fixes.
    pub fn diagnose<T>(
        &self,
        id: DocId,
        label: &str,
        bytes: &dyn ReadAt,
        found: &JudgedDoc<T>,
        picked: &FindingSample,
        content: ContentDisplay,
    ) -> io::Result<Vec<Diagnostic>> {
        let (judged, predictions) = (picked.pick(&found.findings), picked.pick(&self.outcomes));
        let mut diagnostics = diagnose_some(id, label, bytes, found, &judged, content)?;
        for ((diagnostic, judged), predicted) in diagnostics.iter_mut().zip(&*judged).zip(&*predictions) {
            predicted.apply_to(diagnostic, judged);
        }
        Ok(diagnostics)
    }

    /// Calls `take` with the diagnostics of all findings of a document, batch by batch, with the predicted fixes.
    pub fn diagnose_all<T>(
        &self,
        id: DocId,
        label: &str,
        bytes: &dyn ReadAt,
        found: &JudgedDoc<T>,
        content: ContentDisplay,
        take: &mut dyn FnMut(Vec<Diagnostic>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut predictions = found.findings.iter().zip(&self.outcomes);
        diagnose_batches(id, label, bytes, found, &found.findings, content, &mut |mut batch| {
            for (diagnostic, (judged, predicted)) in batch.iter_mut().zip(&mut predictions) {
                predicted.apply_to(diagnostic, judged);
            }
            take(batch)
        })
    }

    /// Adds the replacements of the repair to the diagnostics of all findings, if the repair of the whole document was
    /// planned. They contain content only with `show_content`.
    pub fn propose(
        &self,
        id: DocId,
        bytes: &dyn ReadAt,
        show_content: bool,
        diagnostics: &mut [Diagnostic],
    ) -> io::Result<()> {
        let Some(fixed) = &self.fixed else { return Ok(()) };
        proposal::propose(id, bytes, fixed, show_content, diagnostics)
    }
}

/// Plans the default repair of a document, so that no fix is announced that `fix` would not make. `whole` asks for the
/// repair of the whole document, from which proposals and pages are made.
pub fn predict(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &mut JudgedDoc<HistoryPreview>,
    options: &Options,
    threads: usize,
    whole: bool,
) -> io::Result<Predictions> {
    let is_fixed = found.findings.iter().any(WeighedFinding::is_fixed_by_default);
    if !is_fixed && found.outputs.iter().all(|sketch| sketch.fixes.is_empty()) {
        return Ok(Predictions::uniform(found, PredictedFix::Requested));
    }
    let repairs = |target| found.format.is_some_and(|format| judge::shares_dialect(format.info(), target));
    if !options.target.is_none_or(repairs) {
        // Changes that another dialect requires are made by `convert`, not by `fix`.
        return Ok(Predictions::uniform(found, PredictedFix::Unknown));
    }
    if !whole && let Some(predictions) = from_sketches(id, bytes, found, options, threads)? {
        return Ok(predictions);
    }
    let plans = plans(found);
    let is_lent = plans.is_some();
    let mut fixed = match plans {
        Some(plans) => {
            // There may be many findings: they are not copied.
            let judged = std::mem::take(&mut found.findings);
            let planned = JudgedDoc { findings: judged, ..found.with_outputs(plans) };
            repair::fix_judged(id, bytes, options, threads, planned)?
        }
        None => repair::fix(id, bytes, options, &FixOptions::default(), threads)?,
    };
    let (mut of, gone) = fix_outcomes(&fixed, bytes.len());
    let key = |judged: &WeighedFinding| (judged.finding.code_and_start(), judged.finding.variant);
    if !is_lent && !fixed.before.findings.iter().map(key).eq(found.findings.iter().map(key)) {
        // Histories of another dialect were converted to be judged; the repair does not know what was found then.
        let known: HashMap<_, PredictedFix> = fixed.before.findings.iter().map(key).zip(of).collect();
        let of_each = found.findings.iter().map(|judged| known.get(&key(judged)).copied());
        of = of_each.map(|outcome| outcome.unwrap_or(PredictedFix::Unknown)).collect();
    }
    if is_lent {
        found.findings =
            if whole { fixed.before.findings.clone() } else { std::mem::take(&mut fixed.before.findings) };
    }
    Ok(Predictions { outcomes: of, resolved: gone, fixed: whole.then_some(fixed) })
}

/// Predictions from the plans of the histories, and from a repair of the records whose plans are not conclusive; `None` if
/// these do not decide all findings.
fn from_sketches(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &JudgedDoc<HistoryPreview>,
    options: &Options,
    threads: usize,
) -> io::Result<Option<Predictions>> {
    // Repairs of text can join lines.
    let is_text = |judged: &WeighedFinding| {
        judged.history.is_none() && (judged.is_fixed_by_default() || judged.severity == Severity::Error)
    };
    if found.findings.iter().any(is_text) {
        return Ok(None);
    }
    let mut sketches: Vec<&HistoryPreview> = found.outputs.iter().collect();
    sketches.sort_by_key(|sketch| sketch.number);
    let sketch_of = |judged: &WeighedFinding| {
        let at = sketches.binary_search_by_key(&judged.history?, |sketch| sketch.number).ok()?;
        sketches.get(at).copied()
    };
    let is_doubtful = |judged: &WeighedFinding| sketch_of(judged).is_some_and(|sketch| !sketch.is_conclusive);
    let trial = match found.findings.iter().any(is_doubtful) {
        true => trial::repair_some(id, bytes, found, &is_doubtful, options, threads)?,
        false => is_in_records(found).then(Trial::default),
    };
    Ok(trial.map(|trial| {
        let planned = |judged: &WeighedFinding| {
            let predicted =
                sketch_of(judged).and_then(|sketch| sketch.fixes.get(&judged.finding.code_and_start()));
            predicted.copied().unwrap_or(PredictedFix::Requested)
        };
        let mut outcomes: Vec<PredictedFix> = found.findings.iter().map(planned).collect();
        for (number, outcome) in trial.outcomes {
            if let Some(own) = outcomes.get_mut(number) {
                *own = outcome;
            }
        }
        let planned = found.outputs.iter().filter(|sketch| !trial.histories.contains(&sketch.number));
        let gone: i64 = planned.map(|sketch| sketch.resolved).sum();
        let resolved = u64::try_from(gone).unwrap_or(0) + trial.resolved;
        Predictions { outcomes, resolved, fixed: None }
    }))
}

/// True if the repair of a history changes only its own records.
fn is_in_records(found: &JudgedDoc<HistoryPreview>) -> bool {
    found.format.is_some_and(|format| {
        let spans = format.info().histories.span_records();
        // In a session with branches, lines belong to several histories; of lines with one name it is not known which applies.
        let is_session = format.info().histories == HistoryScope::Session;
        let has_copies = || found.findings.iter().any(|judged| judged.finding.code == codes::DUPLICATE_NODE);
        let is_branched = is_session && (found.histories > 1 || has_copies());
        let is_spread = spans && matches!(found.container, Container::Document { .. });
        format.info().editor.is_none() && !is_branched && !is_spread
    })
}

/// The plans of all histories, moved out; `None` unless all were made and apply: a document may span several lines.
fn plans(found: &mut JudgedDoc<HistoryPreview>) -> Option<Vec<HistoryPlan>> {
    let spans = found.format.is_some_and(|format| format.info().histories.span_records());
    let all =
        found.outputs.len() == found.histories as usize && !found.outputs.iter().any(|sketch| sketch.is_foreign);
    if !all || !spans || matches!(found.container, Container::Document { .. }) {
        return None;
    }
    let plans = std::mem::take(&mut found.outputs).into_iter().filter_map(|sketch| sketch.plan.map(|plan| *plan));
    Some(plans.collect())
}
