//! Changes that a flag asks for and no finding does: removing what only another account can decrypt.

use crate::dialect::TextChange as Text;
use crate::history::{GroupMode, Kind, Row};
use crate::rule::Loss;

use super::history_plan::{PlanBuilder, needs_id};
use crate::repair::{Action, Cause};

const ACCOUNT: Cause = Cause::Flag("--account-changed");

impl PlanBuilder<'_> {
    /// Applies `--account-changed`: another account, provider or deployment can read neither encrypted content nor
    /// ids of the old one.
    pub(super) fn apply_account_flag(&mut self) {
        if !self.options.account_changed || !self.applies_flags {
            return;
        }
        for (at, group) in self.cx.history.groups.iter().enumerate() {
            if group.has_reasoning() && self.can_apply_mode(group, GroupMode::Flattened).is_ok() {
                self.request_mode(at, GroupMode::Flattened, ACCOUNT);
            }
        }
        let rows: Vec<(u32, Row)> = (0..).zip(self.cx.history.rows.iter().copied()).collect();
        for (ix, row) in rows.into_iter().filter(|(_, row)| !row.is_reference()) {
            if row.kind == Kind::Compaction && self.may_lose() {
                self.drop_row(ix, ACCOUNT, Loss::Lossy, "drop the encrypted compaction");
            }
        }
    }

    /// Removes ids that no mode of a group removes.
    pub(super) fn strip_ids_by_flag(&mut self) {
        if !self.options.account_changed || !self.applies_flags {
            return;
        }
        let rows: Vec<(u32, Row)> = (0..).zip(self.cx.history.rows.iter().copied()).collect();
        for (ix, row) in rows {
            let stays = needs_id(&row) && !self.cx.replays_without_id(&row);
            let gone = self
                .decisions
                .get(&ix)
                .is_some_and(|decision| decision.drop || decision.text.contains(&Text::StripId));
            if row.has_id_member() && !stays && !gone && !row.is_reasoning() {
                self.decision(ix).text.push(Text::StripId);
                self.note_change(ix, ACCOUNT, Action::Strip, Loss::Lossless, "remove the item id");
            }
        }
    }
}
