//! What the search goes by: findings that are to be repaired, and what they are known by wherever they are found again.

use crate::history::{Act, Code, Finding, codes};
use crate::judge::Judged;

use crate::repair::Cause;
use crate::repair::plan::chosen::{Chosen, cause};

/// A finding that is to be repaired.
#[derive(Clone, Copy)]
pub(super) struct Defect {
    pub judged: Judged,
    /// The row that it lies on; [`NONE`] if that is no item.
    pub at: u32,
    /// The finding itself, or the one whose repair brings it up.
    pub cause: Cause,
}

impl Defect {
    pub(super) fn of(judged: &Judged, at: u32) -> Defect {
        Defect { judged: *judged, at, cause: cause(judged) }
    }

    /// The finding for which an act was chosen.
    pub(super) fn of_chosen(chosen: &Chosen) -> Defect {
        Defect { judged: chosen.judged, at: chosen.at, cause: chosen.cause }
    }

    pub(super) fn chosen(&self, act: Act) -> Chosen {
        Chosen { judged: self.judged, at: self.at, act, cause: self.cause }
    }
}

/// A finding, wherever it is found again.
pub(super) type Key = (Code, u8, u64);

pub(super) fn key_of_finding(finding: &Finding) -> Key {
    key_of(finding.code, finding.variant, finding.row.at.start)
}

/// What a finding that counts several items says of one of them is the same however many there are.
pub(super) fn key_of(code: Code, variant: u8, start: u64) -> Key {
    let counts = code == codes::ITEM_WITHOUT_REASONING;
    (code, if counts { 0 } else { variant }, start)
}
