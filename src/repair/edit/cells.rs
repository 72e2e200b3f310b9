//! Histories whose items are rows of a database table: a row can be changed or removed. Other tables refer to it
//! by its number, so no row is moved, and none is inserted between two others.

use crate::repair::Action;
use crate::repair::plan::feasibility::InfeasibleChange;
use crate::repair::plan::history_plan::PlanBuilder;

const STAYS: &str =
    "database rows cannot be added or moved; `replaylint convert --to API FILE` writes the history to a file";

impl PlanBuilder<'_> {
    /// Finds changes that would add or move rows.
    pub(in crate::repair) fn find_row_moves(&self, found: &mut Vec<InfeasibleChange>) {
        if !self.cx.history.settings.in_rows {
            return;
        }
        for change in &self.item_changes {
            let ix = change.ix;
            let gets = self.decisions.get(&ix).is_some_and(|decision| decision.inserts());
            if gets || matches!(change.action, Action::Move | Action::Stub) {
                found.push((ix, |_| true, STAYS));
            }
        }
    }
}
