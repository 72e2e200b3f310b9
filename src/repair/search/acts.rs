//! Limits that flags set on acts: which of those that a rule lists may be chosen.

use crate::history::{Code, NONE, RepairAct, codes};
use crate::rule::{Loss, RuleContext};

use super::defect::Defect;
use crate::repair::{FixOptions, Orphans, Reasoning};

/// Limits on the acts that may be chosen.
#[derive(Clone, Copy)]
pub(super) struct ActLimits {
    /// `None`: no limit.
    pub orphans: Option<Orphans>,
    pub reasoning: Reasoning,
    /// A row that several histories share gets the same decision in all of them.
    pub keeps_decisions: bool,
}

impl ActLimits {
    pub const UNLIMITED: ActLimits =
        ActLimits { orphans: None, reasoning: Reasoning::Auto, keeps_decisions: false };

    pub fn of(options: &FixOptions) -> ActLimits {
        ActLimits { orphans: Some(options.orphans), reasoning: options.reasoning, keeps_decisions: true }
    }

    /// The acts of a finding that may be chosen.
    pub fn acts(&self, cx: &RuleContext<'_>, defect: &Defect) -> Vec<RepairAct> {
        let all = defect.judged.finding.remedy.acts();
        let can_answer = all.contains(&RepairAct::Answer);
        let is_answered = || defect.at != NONE && cx.row(defect.at).kind.is_answered_by_text();
        let may = |act: &&RepairAct| match (**act, self.orphans) {
            (_, None) => true,
            (RepairAct::Answer, Some(orphans)) => orphans != Orphans::Drop,
            (RepairAct::Drop, Some(Orphans::Stub)) if can_answer => !is_answered(),
            (RepairAct::AsText, Some(orphans)) => orphans == Orphans::Text,
            _ => true,
        };
        let mut acts: Vec<RepairAct> = all.iter().filter(may).copied().collect();
        // `--reasoning reference` prefers a reference to removing the id of reasoning.
        if self.reasoning == Reasoning::Reference && PREFERS_REFERENCE.contains(&defect.judged.finding.code) {
            acts.retain(|act| *act != RepairAct::Refer);
            acts.insert(0, RepairAct::Refer);
        }
        acts
    }
}

const PREFERS_REFERENCE: &[Code] = &[codes::REASONING_WITHOUT_ITEM];

/// The flag that allows an act, as a hint for the user.
pub(super) fn flag_for(act: RepairAct) -> Option<&'static str> {
    match act {
        RepairAct::Answer => Some("`replaylint fix --orphans stub FILE` adds a placeholder output"),
        RepairAct::AsText => Some("`replaylint fix --orphans text FILE` keeps the result as a text"),
        RepairAct::Drop => Some("`replaylint fix --orphans drop FILE` drops the call"),
        _ => None,
    }
}

/// The hint for a finding of which no act may be chosen; `None` if one may.
pub(super) fn refusal(cx: &RuleContext<'_>, defect: &Defect, limits: ActLimits) -> Option<&'static str> {
    let none = limits.acts(cx, defect).is_empty();
    defect.judged.finding.remedy.acts().first().filter(|_| none).and_then(|act| flag_for(*act))
}

/// True for an act that loses nothing: what it fixes need not be fixed by a lossy one.
pub(super) fn loses_nothing(act: RepairAct, defect: &Defect) -> bool {
    match act {
        RepairAct::Reorder
        | RepairAct::Rename
        | RepairAct::Rekey
        | RepairAct::Retype
        | RepairAct::Restore
        | RepairAct::Inline
        | RepairAct::Refer => true,
        RepairAct::Drop => defect.judged.variant().loss == Loss::Lossless,
        _ => false,
    }
}

/// True if the effect of an act shows in the rows; other acts change only the text of an item or the request.
pub(super) fn shows_in_rows(act: RepairAct) -> bool {
    match act {
        RepairAct::Drop
        | RepairAct::Answer
        | RepairAct::AsText
        | RepairAct::Restore
        | RepairAct::StripId
        | RepairAct::Refer
        | RepairAct::Detach
        | RepairAct::Thin
        | RepairAct::Flatten
        | RepairAct::Reorder
        | RepairAct::Rename
        | RepairAct::Rekey
        | RepairAct::Inline
        | RepairAct::Hoist
        | RepairAct::Advance => true,
        RepairAct::Retype
        | RepairAct::EditValue(_)
        | RepairAct::Bridge
        | RepairAct::AskToContinue
        | RepairAct::Split
        | RepairAct::EditRequest(_)
        | RepairAct::Acknowledge
        | RepairAct::FixField(_)
        | RepairAct::SetNamespace
        | RepairAct::Unset
        | RepairAct::SendNew(_)
        | RepairAct::RepairText
        | RepairAct::ReplaceCharacter
        | RepairAct::Placeholder
        | RepairAct::Relink
        | RepairAct::RepairStored(_) => false,
    }
}
