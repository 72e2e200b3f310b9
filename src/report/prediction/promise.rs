//! What a check may promise: what `fix` with the same flags does, found out by planning it. A fix that would be refused,
//! or that would leave as many errors, is none.

use std::collections::HashMap;
use std::io;

use crate::format::Histories;
use crate::history::codes;
use crate::judge::{self, Judged, JudgedDoc, Options};
use crate::place::DocId;
use crate::repair;
use crate::repair::{FixOptions, Fixed, HistoryPlan, Sketch};
use crate::source::{Container, ReadAt};
use crate::target::Severity;

pub use super::fix_outcome::{Promise, outcome};
use crate::report::{Content, Diagnostic, Picked, diagnose_some, proposal};

/// What is promised of a doc.
pub struct Promises {
    /// Of each finding, in order.
    pub of: Vec<Promise>,
    /// The number of errors and warnings that are gone after the default repair.
    pub gone: u64,
    /// The repair of the whole doc, where that was planned.
    fixed: Option<Fixed>,
}

impl Promises {
    /// The same for all findings of a doc.
    pub fn all<T>(found: &JudgedDoc<T>, promise: Promise) -> Self {
        Promises { of: vec![promise; found.judged.len()], gone: 0, fixed: None }
    }

    /// The repair of the whole doc, if that was planned and some of it is promised.
    pub fn repair(&self, found: &[Judged]) -> Option<&Fixed> {
        let is_made = |(judged, promise): (&Judged, &Promise)| promise.made(judged).0;
        self.fixed.as_ref().filter(|_| found.iter().zip(&self.of).any(is_made))
    }

    /// Makes diagnostics of some of the findings of a doc, which say what is promised.
    pub fn diagnose<T>(
        &self,
        id: DocId,
        label: &str,
        bytes: &dyn ReadAt,
        found: &JudgedDoc<T>,
        picked: &Picked,
        content: Content,
    ) -> io::Result<Vec<Diagnostic>> {
        let one = |ix: &usize| found.judged.get(*ix).copied().zip(self.of.get(*ix).copied());
        let (judged, promises): (Vec<Judged>, Vec<Promise>) = picked.findings.iter().filter_map(one).unzip();
        let mut told = diagnose_some(id, label, bytes, found, &judged, content)?;
        for ((diagnostic, judged), promise) in told.iter_mut().zip(&judged).zip(promises) {
            promise.tell(diagnostic, judged);
        }
        Ok(told)
    }

    /// Adds to the diagnostics of all findings what would be put in place of what, where the repair of the whole doc was
    /// planned. `show_content` says whether that may show content.
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

/// Plans the default repair of a doc, so that nothing is promised that `fix` would not do. `whole` asks for the repair of
/// the whole doc, from which proposals and pages can be made.
pub fn plan(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &mut JudgedDoc<Sketch>,
    options: &Options,
    threads: usize,
    whole: bool,
) -> io::Result<Promises> {
    if !found.judged.iter().any(Judged::is_fixed_by_default) {
        return Ok(Promises::all(found, Promise::Asked));
    }
    let repairs = |target| found.format.is_some_and(|format| judge::speaks(format.info(), target));
    if !options.target.is_none_or(repairs) {
        // What another dialect would take is made by `convert`, not by `fix`.
        return Ok(Promises::all(found, Promise::Nothing));
    }
    if !whole && let Some(promises) = of_plans(found) {
        return Ok(promises);
    }
    let plans = plans(found);
    let is_lent = plans.is_some();
    let mut fixed = match plans {
        Some(plans) => {
            // There may be many findings: they are not copied.
            let judged = std::mem::take(&mut found.judged);
            let planned = JudgedDoc { judged, ..found.with_made(plans) };
            repair::fix_judged(id, bytes, options, threads, planned)?
        }
        None => repair::fix(id, bytes, options, &FixOptions::default(), threads)?,
    };
    let (of, gone) = outcome(&fixed, bytes.len());
    if is_lent {
        found.judged = if whole { fixed.before.judged.clone() } else { std::mem::take(&mut fixed.before.judged) };
    }
    Ok(Promises { of, gone, fixed: whole.then_some(fixed) })
}

/// What the plans of the histories say, if they say all.
fn of_plans(found: &JudgedDoc<Sketch>) -> Option<Promises> {
    let sketches: HashMap<u32, &Sketch> = found.made.iter().map(|sketch| (sketch.number, sketch)).collect();
    let is_sure = |judged: &&Judged| match judged.history {
        Some(number) => sketches.get(&number).is_none_or(|sketch| sketch.is_sure),
        None => !judged.is_fixed_by_default() && judged.severity < Severity::Error,
    };
    let in_records = found.format.is_some_and(|format| {
        let spans = format.info().histories.span_records();
        // Of a session with branches, shared lines have a say in several; of lines with one name it is not known which holds.
        let is_session = format.info().histories == Histories::Session;
        let has_copies = || found.judged.iter().any(|judged| judged.finding.code == codes::DUPLICATE_NODE);
        let is_branched = is_session && (found.histories > 1 || has_copies());
        let is_spread = spans && matches!(found.container, Container::Document { .. });
        format.info().editor.is_none() && !is_branched && !is_spread
    });
    if !in_records || !found.judged.iter().all(|judged| is_sure(&judged)) {
        return None;
    }
    let mut of = Vec::with_capacity(found.judged.len());
    for judged in &found.judged {
        let sketch = judged.history.and_then(|number| sketches.get(&number));
        let promise = sketch.and_then(|sketch| sketch.promises.get(&judged.finding.code_and_start()));
        of.push(promise.copied().unwrap_or(Promise::Asked));
    }
    let gone: i64 = found.made.iter().map(|sketch| sketch.gone).sum();
    Some(Promises { of, gone: u64::try_from(gone).unwrap_or(0), fixed: None })
}

/// Takes the plans of all histories, if they were made, and hold: a document may be spread over several lines.
fn plans(found: &mut JudgedDoc<Sketch>) -> Option<Vec<HistoryPlan>> {
    let spans = found.format.is_some_and(|format| format.info().histories.span_records());
    let all = found.made.len() == found.histories as usize && !found.made.iter().any(|sketch| sketch.is_foreign);
    if !all || !spans || matches!(found.container, Container::Document { .. }) {
        return None;
    }
    let plans = std::mem::take(&mut found.made).into_iter().filter_map(|sketch| sketch.plan.map(|plan| *plan));
    Some(plans.collect())
}
