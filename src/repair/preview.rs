//! What the default repair of a history comes to, known from its plan: a check says of each finding what `fix` would do,
//! and makes no repair for it.

use std::collections::{HashMap, HashSet};

use crate::history::{Act, Code};
use crate::judge::{self, Case, Judged, OnHistory};
use crate::place::Place;
use crate::target::{Severity, Target};

use super::{FixOptions, HistoryPlan, Predicted, Search};

/// What is promised of the fix of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Promise {
    /// What the finding asks for.
    Asked,
    /// Another finding's fix resolves it.
    WithAnother,
    /// None, and nothing is said about it.
    Nothing,
    /// None, and this is why.
    Never(&'static str),
}

pub const REMAINS: &str = "no fix was found that resolves it";

impl Promise {
    /// `left` says of a finding that is left why its fix was not made, if it is known.
    pub fn of(judged: &Judged, left: Option<Option<&'static str>>) -> Promise {
        let is_default = judged.is_fixed_by_default();
        match left {
            Some(why) if is_default => Promise::Never(why.unwrap_or(REMAINS)),
            // It needs no fix or flag of its own where it goes with what is repaired anyway.
            None if !is_default => Promise::WithAnother,
            _ => Promise::Asked,
        }
    }
}

/// What is planned for a history.
pub struct Sketch {
    /// Number of the history.
    pub number: u32,
    /// It is of another dialect than the target's, and is to be converted.
    pub is_foreign: bool,
    /// What is promised of its findings, by code and start.
    pub promises: HashMap<(Code, u64), Promise>,
    /// How many errors and warnings fewer there are after the repair.
    pub gone: i64,
    /// Whether the plan tells all: some repairs can only be tried.
    pub is_sure: bool,
    /// For a history of several records: the repair goes on from it.
    pub plan: Option<Box<HistoryPlan>>,
}

/// Sketches the histories that the default repair would change, and those that it does not repair.
#[derive(Default)]
pub struct Sketcher {
    /// The target that was asked for.
    target: Option<&'static Target>,
    options: FixOptions,
}

impl Sketcher {
    pub fn new(target: Option<&'static Target>) -> Self {
        Sketcher { target, options: FixOptions::default() }
    }
}

impl OnHistory for Sketcher {
    type Made = Sketch;

    fn history(&self, case: &Case<'_>) -> Option<Sketch> {
        let (info, number) = (case.info, case.number);
        let nothing =
            Sketch { number, is_foreign: false, promises: HashMap::new(), gone: 0, is_sure: true, plan: None };
        if self.target.is_some_and(|target| !judge::speaks(info, target)) {
            return Some(Sketch { is_foreign: true, ..nothing });
        }
        let spans = info.histories.span_records();
        let is_fixed = case.judged.iter().any(Judged::is_fixed_by_default);
        if !is_fixed && !spans {
            return None;
        }
        // Of a document that is spread over several lines nothing is taken from here.
        let search = Search::new(&self.options, false, true);
        let numbered = case.cx.history.settings.numbered.is_some();
        let plan = (is_fixed || numbered).then(|| search.history(case)).flatten();
        let mut sketch = match plan.as_ref().filter(|_| is_fixed) {
            Some(plan) => outcome(plan, case),
            None => Sketch { is_sure: !is_fixed, ..nothing },
        };
        sketch.is_sure &= !numbered;
        sketch.plan = plan.filter(|_| spans).map(Box::new);
        Some(sketch)
    }

    fn renumber(made: &mut Sketch, by: u32) {
        made.number += by;
        if let Some(plan) = &mut made.plan {
            Search::renumber(plan, by);
        }
    }

    fn renumber_records(made: &mut Sketch, by: u32) {
        if let Some(plan) = &mut made.plan {
            Search::renumber_records(plan, by);
        }
    }
}

/// What a plan leaves of the findings of its history.
fn outcome(plan: &HistoryPlan, case: &Case<'_>) -> Sketch {
    let refused: HashMap<(Code, Place), &'static str> =
        plan.refusals.iter().rev().map(|refusal| ((refusal.code, refusal.at), refusal.why)).collect();
    let key = |judged: &Judged| judged.finding.code_and_start();
    let left: HashSet<(Code, u64)> =
        plan.predicted.iter().flat_map(|predicted| &predicted.left).map(key).collect();
    let one = |judged: &Judged| {
        let why = || refused.get(&(judged.finding.code, judged.finding.row.at)).copied();
        (key(judged), Promise::of(judged, left.contains(&key(judged)).then(why)))
    };
    let promises: HashMap<(Code, u64), Promise> = case.judged.iter().map(one).collect();
    let counts = |judged: &&Judged| judged.severity > Severity::Info;
    let has = plan.predicted.iter().flat_map(|predicted| &predicted.left).filter(counts).count();
    let gone = case.judged.iter().filter(counts).count() as i64 - has as i64;
    let by_text = |judged: &Judged| {
        let acts = judged.finding.remedy.acts();
        judged.is_fixed_by_default()
            && acts.iter().any(|act| {
                matches!(act, Act::Text | Act::Replace | Act::Placeholder | Act::Relink | Act::Stored(_))
            })
    };
    // What is not of a kind that its format knows may be what the format is told by.
    let is_odd = |judged: &Judged| {
        judged.rule().check.is_of_item() && judged.severity == Severity::Error && !judged.has_fix()
    };
    let is_doubtful = promises.values().any(|promise| *promise == Promise::Never(REMAINS));
    let is_sure = plan.predicted.as_ref().is_some_and(Predicted::tells_all)
        && !is_doubtful
        && !case.judged.iter().any(|judged| by_text(judged) || is_odd(judged));
    Sketch { number: plan.number, is_foreign: false, promises, gone, is_sure, plan: None }
}
