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
}

/// With fewer items than this, the format of a record may no longer be recognised.
const MIN_ITEMS: u32 = 12;

impl PlanOutcome {
    /// True if reading the text again would show nothing else.
    pub fn is_conclusive(&self) -> bool {
        self.is_sure && self.items >= MIN_ITEMS
    }
}
