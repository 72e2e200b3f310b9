//! What the default repair of a history would come to: a check says of each finding what `fix` would do. Of histories that
//! are records by themselves a few bytes are kept: what is done is found out on a few of them, and expected of those of
//! which the same was found and the same is planned. Of others the plan is kept, from which the repair goes on.

use xxhash_rust::xxh3::Xxh3;

use crate::judge::{self, Case, Judged, OnHistory};
use crate::place::Place;
use crate::target::Target;

use super::{Cause, Change, FixOptions, HistoryPlan, Refusal, Search};

/// What is planned for a history.
pub struct Sketch {
    /// Number of the history.
    pub number: u32,
    pub planned: Planned,
}

pub enum Planned {
    /// Nothing: the history is of another dialect than the target's, and is to be converted.
    Foreign,
    /// For a record by itself.
    Prints(Prints),
    /// For a history of several records; `None` if nothing is to be done.
    Plan(Option<Box<HistoryPlan>>),
}

/// What is planned, apart from where.
#[derive(Debug, Default)]
pub struct Prints {
    /// Equal for plans that do the same things, for the same reasons, and refuse the same: however often.
    pub whole: u64,
    /// Of each finding, in order, what is done to its item, or refused.
    pub findings: Box<[u64]>,
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
        let Case { cx, info, judged, number, .. } = *case;
        if self.target.is_some_and(|target| !judge::speaks(info, target)) {
            return Some(Sketch { number, planned: Planned::Foreign });
        }
        let spans = info.histories.span_records();
        let is_fixed = judged.iter().any(Judged::is_fixed_by_default);
        if !is_fixed && !spans {
            return None;
        }
        // Of a document that is spread over several lines nothing is taken from here.
        let search = Search { options: &self.options, spread: false };
        let is_planned = is_fixed || cx.history.settings.numbered.is_some();
        let plan = is_planned.then(|| search.history(case)).flatten();
        let planned = match spans {
            true => Planned::Plan(plan.map(Box::new)),
            false => Planned::Prints(prints(plan.as_ref(), judged)),
        };
        Some(Sketch { number, planned })
    }

    fn renumber(made: &mut Sketch, by: u32) {
        made.number += by;
        if let Planned::Plan(Some(plan)) = &mut made.planned {
            Search::renumber(plan, by);
        }
    }

    fn renumber_records(made: &mut Sketch, by: u32) {
        if let Planned::Plan(Some(plan)) = &mut made.planned {
            Search::renumber_records(plan, by);
        }
    }
}

fn prints(plan: Option<&HistoryPlan>, judged: &[Judged]) -> Prints {
    let changes = plan.into_iter().flat_map(|plan| &plan.changes).map(|change| (change.row.at, of_change(change)));
    let refusals = plan.into_iter().flat_map(|plan| &plan.refusals);
    let refusals = refusals.map(|refusal| (refusal.at, of_refusal(refusal)));
    let mut done: Vec<(Place, u64)> = changes.chain(refusals).collect();
    done.sort_unstable_by_key(|(at, print)| (at.order(), *print));
    done.dedup();
    let of_item = |judged: &Judged| {
        let at = judged.finding.row.at;
        let from = done.partition_point(|(other, _)| other.order() < at.order());
        let own = done.iter().skip(from).take_while(|(other, _)| *other == at);
        own.fold(0, |all: u64, (_, print)| all.wrapping_add(*print))
    };
    let findings = judged.iter().map(of_item).collect();
    let mut all: Vec<u64> = done.iter().map(|(_, print)| *print).collect();
    all.sort_unstable();
    all.dedup();
    Prints { whole: all.into_iter().fold(0, |all, print| all.rotate_left(1) ^ print), findings }
}

fn of_change(change: &Change) -> u64 {
    let (code, variant) = match change.cause {
        Cause::Rule(code, variant, _) => (code.0, variant),
        Cause::Flag(_) => (0, 0),
    };
    let mut hasher = Xxh3::new();
    hasher.update(&code.to_le_bytes());
    hasher.update(&[variant, change.action as u8, change.row.kind as u8, u8::from(change.other.is_some())]);
    hasher.update(change.what.as_bytes());
    hasher.digest()
}

fn of_refusal(refusal: &Refusal) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&refusal.code.0.to_le_bytes());
    hasher.update(refusal.why.as_bytes());
    hasher.digest()
}
