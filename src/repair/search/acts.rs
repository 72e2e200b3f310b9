//! What flags say about acts: which of those that a rule lists may be chosen.

use crate::history::{Act, Code, NONE, codes};
use crate::rule::{Cx, Loss};

use super::defect::Defect;
use crate::repair::{FixOptions, Orphans, Reasoning};

/// Which acts may be chosen.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// `None`: all that there are.
    pub orphans: Option<Orphans>,
    pub reasoning: Reasoning,
    /// A row that another history shares has the fate that it has there.
    pub keeps_fates: bool,
}

impl Limits {
    pub const NONE: Limits = Limits { orphans: None, reasoning: Reasoning::Auto, keeps_fates: false };

    pub fn of(options: &FixOptions) -> Limits {
        Limits { orphans: Some(options.orphans), reasoning: options.reasoning, keeps_fates: true }
    }

    /// The acts of a finding that may be chosen.
    pub fn acts(&self, cx: &Cx<'_>, defect: &Defect) -> Vec<Act> {
        let all = defect.judged.finding.remedy.acts();
        let can_answer = all.contains(&Act::Answer);
        let is_answered = || defect.at != NONE && cx.row(defect.at).kind.is_answered_by_text();
        let may = |act: &&Act| match (**act, self.orphans) {
            (_, None) => true,
            (Act::Answer, Some(orphans)) => orphans != Orphans::Drop,
            (Act::Drop, Some(Orphans::Stub)) if can_answer => !is_answered(),
            (Act::AsText, Some(orphans)) => orphans == Orphans::Text,
            _ => true,
        };
        let mut acts: Vec<Act> = all.iter().filter(may).copied().collect();
        // `--reasoning reference` rather makes a reference of reasoning than take its id.
        if self.reasoning == Reasoning::Reference && REFERRED.contains(&defect.judged.finding.code) {
            acts.retain(|act| *act != Act::Refer);
            acts.insert(0, Act::Refer);
        }
        acts
    }
}

const REFERRED: &[Code] = &[codes::REASONING_WITHOUT_ITEM];

/// The flag that allows an act.
pub(super) fn flag(act: Act) -> Option<&'static str> {
    match act {
        Act::Answer => Some("`replaylint fix --orphans stub FILE` adds a placeholder output"),
        Act::AsText => Some("`replaylint fix --orphans text FILE` keeps the result as a text"),
        Act::Drop => Some("`replaylint fix --orphans drop FILE` drops the call"),
        _ => None,
    }
}

/// Why nothing may be done about a finding.
pub(super) fn refusal(cx: &Cx<'_>, defect: &Defect, limits: Limits) -> Option<&'static str> {
    let none = limits.acts(cx, defect).is_empty();
    defect.judged.finding.remedy.acts().first().filter(|_| none).and_then(|act| flag(*act))
}

/// An act that takes nothing away: what it heals need not be repaired by one that does.
pub(super) fn loses_nothing(act: Act, defect: &Defect) -> bool {
    match act {
        Act::Reorder | Act::Rename | Act::Rekey | Act::Retype | Act::Restore | Act::Inline | Act::Refer => true,
        Act::Drop => defect.judged.variant().loss == Loss::Lossless,
        _ => false,
    }
}

/// What comes of an act can be seen in the rows; of others only the text of an item or the request changes.
pub(super) fn shows_in_rows(act: Act) -> bool {
    match act {
        Act::Drop
        | Act::Answer
        | Act::AsText
        | Act::Restore
        | Act::StripId
        | Act::Refer
        | Act::Detach
        | Act::Thin
        | Act::Flatten
        | Act::Reorder
        | Act::Rename
        | Act::Rekey
        | Act::Inline
        | Act::Hoist
        | Act::Advance => true,
        Act::Retype
        | Act::Mend(_)
        | Act::Bridge
        | Act::GoOn
        | Act::Split
        | Act::Request(_)
        | Act::Acknowledge
        | Act::Spot(_)
        | Act::Adopt
        | Act::Unset
        | Act::SendNew(_)
        | Act::Text
        | Act::Replace
        | Act::Placeholder
        | Act::Relink
        | Act::Stored(_) => false,
    }
}
