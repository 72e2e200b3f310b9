//! The predicted outcome of a plan, as far as the judged rows show it.

use crate::judge::WeighedFinding;

/// The predicted outcome of the plan of a history.
pub struct PlanOutcome {
    /// The findings that remain.
    pub remaining: Vec<WeighedFinding>,
    /// Number of its items.
    pub items: u32,
    /// True if all changes show in the judged rows, and nothing is left for a second round.
    pub is_sure: bool,
    /// True if the record of a short history is recognised as before after the plan, which refuses nothing: why a fix cannot be
    /// made depends on what a short history has left. The format of longer ones shows in what remains.
    pub keeps_format: bool,
}

/// With fewer items than this, the format of a record may no longer be recognised.
const MIN_ITEMS: u32 = 12;

impl PlanOutcome {
    /// True if reading the text again would show nothing else.
    pub fn is_conclusive(&self) -> bool {
        self.is_sure && (self.items >= MIN_ITEMS || self.keeps_format)
    }

    /// True if it is conclusive as soon as the record is known to keep its format.
    pub fn depends_on_format(&self) -> bool {
        self.is_sure && self.items < MIN_ITEMS && !self.remaining.iter().any(WeighedFinding::has_fix)
    }
}
