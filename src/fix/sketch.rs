//! What the default repair of a history would come to, in a few bytes: a check finds out on a few histories what `fix` does,
//! and expects the same of those of which the same was found and the same is planned.

use crate::format::FormatInfo;
use crate::judge::{self, Judged, OnHistory};
use crate::rule::Cx;
use crate::target::Target;
use xxhash_rust::xxh3::Xxh3;

use super::{Cause, FixOptions, HistoryPlan, Planner};

/// The plan of a history, as a fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sketch {
    /// Number of the history.
    pub number: u32,
    /// Equal for plans that do the same, for the same reasons, and refuse the same. `None` if the history is of another
    /// dialect than the target's: then it is to be converted, and not repaired.
    pub print: Option<u64>,
}

/// Sketches each history that is a record by itself and that the default repair would change, and those that it does not
/// repair.
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

    fn history(&self, cx: &Cx<'_>, info: &'static FormatInfo, judged: &[Judged], number: u32) -> Option<Sketch> {
        if self.target.is_some_and(|target| !judge::speaks(info, target)) {
            return Some(Sketch { number, print: None });
        }
        if info.histories.span_records() || !judged.iter().any(Judged::is_fixed_by_default) {
            return None;
        }
        // Only a document may be spread over several lines, and of that there is one.
        let planner = Planner { options: &self.options, spread: false };
        let print = planner.history(cx, info, judged, number).map_or(0, |plan| print(&plan));
        Some(Sketch { number, print: Some(print) })
    }

    fn renumber(made: &mut Sketch, by: u32) {
        made.number += by;
    }
}

fn print(plan: &HistoryPlan) -> u64 {
    let mut hasher = Xxh3::new();
    for change in &plan.changes {
        let (code, variant) = match change.cause {
            Cause::Rule(code, variant, _) => (code.0, variant),
            Cause::Flag(_) => (0, 0),
        };
        hasher.update(&code.to_le_bytes());
        hasher.update(&[variant, change.action as u8, change.row.kind as u8, u8::from(change.other.is_some())]);
        hasher.update(change.what.as_bytes());
    }
    for refusal in &plan.refusals {
        hasher.update(&refusal.code.0.to_le_bytes());
        hasher.update(refusal.why.as_bytes());
    }
    hasher.digest()
}
