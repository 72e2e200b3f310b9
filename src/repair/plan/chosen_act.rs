//! Chosen acts: for a finding, one of the acts that its rule lists, on a row. A plan consists of these alone.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use crate::history::{NONE, RepairAct};
use crate::judge::WeighedFinding;
use crate::rule::RuleContext;

use crate::repair::Cause;

/// A finding that is to be fixed. Candidates for a repair share it.
#[derive(Clone)]
pub(in crate::repair) enum SharedFinding<'g> {
    /// Of the unchanged history, which keeps it.
    Initial(&'g WeighedFinding),
    /// Of what a candidate leaves.
    Caused(Rc<WeighedFinding>),
}

impl SharedFinding<'_> {
    pub fn caused(judged: WeighedFinding) -> Self {
        SharedFinding::Caused(Rc::new(judged))
    }
}

impl Deref for SharedFinding<'_> {
    type Target = WeighedFinding;

    fn deref(&self) -> &WeighedFinding {
        match self {
            SharedFinding::Initial(judged) => judged,
            SharedFinding::Caused(judged) => judged,
        }
    }
}

/// An act chosen for a finding.
#[derive(Clone)]
pub(in crate::repair) struct ChosenAct<'g> {
    /// The finding that it fixes.
    pub judged: SharedFinding<'g>,
    /// The row that it changes; [`NONE`] where the finding is on the request around the items.
    pub at: u32,
    pub act: RepairAct,
    /// The cause: the finding, or the one whose repair caused it.
    pub cause: Cause,
}

impl ChosenAct<'_> {
    /// True if it drops a call that could get a placeholder result.
    pub fn drops_call(&self, cx: &RuleContext<'_>) -> bool {
        self.act == RepairAct::Drop
            && self.at != NONE
            && self.judged.finding.remedy.acts().contains(&RepairAct::Answer)
            && { cx.row(self.at).calls_client() }
    }

    /// A hash that is equal for the same act for the same finding.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.at, std::mem::discriminant(&self.act), self.judged.finding.code).hash(&mut hasher);
        hasher.finish()
    }
}

/// A hash that is equal for the same acts in any order.
pub(in crate::repair) fn fingerprint(chosen: &[ChosenAct<'_>]) -> u64 {
    chosen.iter().map(ChosenAct::fingerprint).fold(0, u64::wrapping_add)
}

pub(in crate::repair) fn cause(judged: &WeighedFinding) -> Cause {
    Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at)
}
