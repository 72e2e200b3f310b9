//! What a check may promise: what `fix` with the same flags does, found out by planning it. A fix that would be refused,
//! or that would leave as many errors, is none.

use std::io;

use crate::judge::{self, Judged, JudgedDoc, Options};
use crate::place::DocId;
use crate::repair;
use crate::repair::{FixOptions, Fixed, HistoryPlan, Planned, Sketch};
use crate::source::{Container, ReadAt};

pub use super::fix_outcome::{Promise, kept};
use super::trial_repair;
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
    if !whole && let Some((of, gone)) = trial_repair::plan(id, bytes, found, options, threads)? {
        return Ok(Promises { of, gone, fixed: None });
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
    let (of, gone) = kept(&fixed, bytes.len());
    let of = of.into_iter().map(|kept| kept.promise).collect();
    if is_lent {
        found.judged = if whole { fixed.before.judged.clone() } else { std::mem::take(&mut fixed.before.judged) };
    }
    Ok(Promises { of, gone, fixed: whole.then_some(fixed) })
}

/// Takes the plans of all histories, if they were made, and hold: a document may be spread over several lines.
fn plans(found: &mut JudgedDoc<Sketch>) -> Option<Vec<HistoryPlan>> {
    let is_planned = |sketch: &Sketch| matches!(sketch.planned, Planned::Plan(_));
    let all = found.made.len() == found.histories as usize && found.made.iter().all(is_planned);
    if !all || matches!(found.container, Container::Document { .. }) {
        return None;
    }
    let plans = std::mem::take(&mut found.made).into_iter().filter_map(|sketch| match sketch.planned {
        Planned::Plan(plan) => plan.map(|plan| *plan),
        Planned::Prints(_) | Planned::Foreign => None,
    });
    Some(plans.collect())
}
