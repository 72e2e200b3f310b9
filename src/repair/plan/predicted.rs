//! What a plan comes to, as far as the rows that were judged tell.

use crate::judge::Judged;

/// What a history comes to.
pub struct Predicted {
    /// What is found of it.
    pub left: Vec<Judged>,
    /// Number of its items.
    pub items: u32,
    /// All that is done shows in the rows that were judged, and nothing is left for a second round.
    pub is_sure: bool,
}

/// With fewer items than these left, what a record is may no longer be recognised.
const FEW: u32 = 12;

impl Predicted {
    /// Reading the text again would tell nothing else.
    pub fn tells_all(&self) -> bool {
        self.is_sure && self.items >= FEW
    }
}
