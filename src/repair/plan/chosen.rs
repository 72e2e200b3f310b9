//! What is done about a finding: one of the acts that its rule lists, on a row. A plan is made of these alone.

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

    /// Whether this is the same act for the same finding.
    pub fn is_same(&self, other: &Chosen) -> bool {
        (self.at, self.act) == (other.at, other.act) && self.judged.finding.code == other.judged.finding.code
    }
}

pub(in crate::repair) fn cause(judged: &Judged) -> Cause {
    Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at)
}
