//! Defects: findings that are to be fixed, with the keys by which they are recognised when found again.

use crate::history::{Code, Finding, RepairAct, codes};

use crate::repair::Cause;
use crate::repair::plan::chosen_act::{ChosenAct, SharedFinding, cause};

/// A finding that is to be fixed.
#[derive(Clone)]
pub(super) struct Defect<'g> {
    pub judged: SharedFinding<'g>,
    /// The index of its row; [`NONE`] if that is no item.
    pub at: u32,
    /// The finding itself, or the one whose repair causes it.
    pub cause: Cause,
}

impl<'g> Defect<'g> {
    pub(super) fn of(judged: &SharedFinding<'g>, at: u32) -> Self {
        Defect { judged: judged.clone(), at, cause: cause(judged) }
    }

    /// The defect for which an act was chosen.
    pub(super) fn of_chosen(chosen: &ChosenAct<'g>) -> Self {
        Defect { judged: chosen.judged.clone(), at: chosen.at, cause: chosen.cause }
    }

    pub(super) fn chosen(&self, act: RepairAct) -> ChosenAct<'g> {
        ChosenAct { judged: self.judged.clone(), at: self.at, act, cause: self.cause }
    }
}

/// Identifies a finding when it is found again: code, variant, and start.
pub(super) type DefectKey = (Code, u8, u64);

pub(super) fn key_of_finding(finding: &Finding) -> DefectKey {
    key_of(finding.code, finding.variant, finding.row.at.start)
}

/// The variant is ignored for a finding that counts several items: it depends on their number.
pub(super) fn key_of(code: Code, variant: u8, start: u64) -> DefectKey {
    let counts = code == codes::ITEM_WITHOUT_REASONING;
    (code, if counts { 0 } else { variant }, start)
}
