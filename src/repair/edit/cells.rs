//! Histories whose items are rows of a table: a row can be changed or removed. Its place is its number, which other
//! tables refer to, so that no row is moved, and none comes between two others.

use crate::history::NONE;

use crate::repair::Action;
use crate::repair::plan::feasibility::Fault;
use crate::repair::plan::history_plan::Plan;

const STAYS: &str =
    "rows of a database are not added or moved; `replaylint convert --to API FILE` writes the history to a file";

impl Plan<'_> {
    /// Changes that would add or move rows.
    pub(in crate::repair) fn moves_rows(&self, found: &mut Vec<Fault>) {
        if !self.cx.history.settings.in_rows {
            return;
        }
        for (ix, change) in self.changes().filter(|(ix, _)| *ix != NONE) {
            let gets = self.fates.get(&ix).is_some_and(|fate| !fate.before.is_empty() || !fate.behind.is_empty());
            if gets || matches!(change.action, Action::Move | Action::Stub) {
                found.push((ix, |_| true, STAYS));
            }
        }
    }
}
