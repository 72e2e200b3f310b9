//! What is done about a finding: one of the acts that its rule lists, on a row. A plan is made of these alone.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::history::{Act, NONE};
use crate::judge::Judged;
use crate::rule::Cx;

use crate::repair::Cause;

/// An act that was chosen.
#[derive(Clone, Copy)]
pub(in crate::repair) struct Chosen {
    /// The finding for which it is done.
    pub judged: Judged,
    /// The row that it is done to; [`NONE`] where the finding lies on the request around the items.
    pub at: u32,
    pub act: Act,
    /// Why: the finding, or the one whose repair brought it up.
    pub cause: Cause,
}

impl Chosen {
    /// The call is taken out that could have been answered.
    pub fn drops_call(&self, cx: &Cx<'_>) -> bool {
        self.act == Act::Drop && self.at != NONE && self.judged.finding.remedy.acts().contains(&Act::Answer) && {
            cx.row(self.at).calls_client()
        }
    }

    /// Equal for the same act for the same finding.
    pub fn print(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.at, std::mem::discriminant(&self.act), self.judged.finding.code).hash(&mut hasher);
        hasher.finish()
    }
}

/// Equal for the same acts in any order.
pub(in crate::repair) fn print(chosen: &[Chosen]) -> u64 {
    chosen.iter().map(Chosen::print).fold(0, u64::wrapping_add)
}

pub(in crate::repair) fn cause(judged: &Judged) -> Cause {
    Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at)
}
