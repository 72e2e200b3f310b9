//! Modes of groups. A group is kept, referenced, detached (no ids, reasoning with its encrypted content), or
//! flattened (no ids, no reasoning); never a mixture.

use crate::dialect::TextChange as Text;
use crate::history::{Family, Group, GroupMode, ItemFlags, Kind, RepairAct, Row};
use crate::rule::Loss;

use super::chosen_act::ChosenAct;
use super::history_plan::{PlanBuilder, needs_id};
use super::memo::is_uneditable;
use super::tally::GroupTally;
use crate::repair::edit::insertion::Insertion;
use crate::repair::{Action, Cause, Reasoning};

/// Why an item that needs its id keeps it.
const NEEDS_ITS_ID: &str = "the item cannot be replayed without its id";
const NOT_RECORDED: &str = "no recorded response in the file contains its reasoning";

impl PlanBuilder<'_> {
    /// Requests another mode for the group of an item.
    pub(super) fn change_mode(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(mode) = chosen.act.mode() else { return };
        // The mode of a group does not apply to items that the model did not make.
        let Some(at) = self.group_at(ix).filter(|_| self.cx.row(ix).is_model_made()) else {
            return match mode {
                GroupMode::Detached if chosen.act != RepairAct::Restore => self.strip_own_id(chosen),
                _ => self.refuse(judged, NEEDS_ITS_ID),
            };
        };
        if self.is_dropped(ix) {
            return;
        }
        if chosen.act == RepairAct::StripId {
            return self.strip_own_id(chosen);
        }
        let Some(&group) = self.cx.history.groups.get(at) else { return };
        if chosen.act == RepairAct::Restore {
            if !self.restore_reasoning(&group, chosen) {
                self.refuse(judged, NOT_RECORDED);
            }
            return;
        }
        match self.can_apply_mode(&group, mode) {
            Ok(()) if self.cannot_change(ix, mode) => self.refuse(judged, NEEDS_ITS_ID),
            Ok(()) => {
                self.request_mode(at, mode, chosen.cause);
                // An item that needs its id keeps it.
                if let Some(heir) = self.separated_group_of(at).filter(|_| mode > GroupMode::Referenced) {
                    self.request_mode(heir, GroupMode::Detached, chosen.cause);
                }
            }
            Err(why) => self.refuse(judged, why),
        }
    }

    /// The group that reasoning without an item may have preceded before something came between them: its items
    /// have ids, and no reasoning of their own. Both change together.
    pub(in crate::repair) fn separated_group_of(&self, at: usize) -> Option<usize> {
        let group = self.cx.history.groups.get(at)?;
        let head = self.cx.row(group.start.max(group.body.saturating_sub(1)));
        let lonely = group.has_reasoning() && !group.has_members() && head.has_id() && !head.has(ItemFlags::BOUND);
        let next = self.cx.history.groups.get(at + 1).filter(|next| lonely && !next.has_reasoning())?;
        let linked = self.cx.history.rows_in(next.members()).iter().any(|row| row.is_model_made() && row.has_id());
        linked.then_some(at + 1)
    }

    /// True if, in a group of this mode, an item is meaningless without its id and is not dropped with it either.
    fn cannot_change(&self, ix: u32, mode: GroupMode) -> bool {
        let row = self.cx.row(ix);
        let goes = mode >= GroupMode::Thinned && self.cx.depends_on_id(row);
        let stays = !goes && needs_id(row) && !self.cx.replays_without_id(row);
        mode >= GroupMode::Detached && (stays || self.stays_referenced(row))
    }

    /// The counts of the remaining items of a group.
    pub(super) fn tally(&self, group: &Group) -> GroupTally {
        let count = || {
            let rows = self.affected_items(group).map(|(_, row)| GroupTally::of(self.cx, row));
            rows.fold(GroupTally::default(), |sum, row| sum.with(row, |a, b| a + b))
        };
        *self.tallies.borrow_mut().entry(group.start).or_insert_with(count)
    }

    /// Subtracts a dropped item from the counts of its group.
    pub(super) fn subtract_from_tally(&mut self, ix: u32) {
        let row = self.cx.row(ix);
        let group = self.cx.history.group_of(ix).filter(|_| row.is_model_made());
        if let Some(tally) = group.and_then(|group| self.tallies.get_mut().get_mut(&group.start)) {
            *tally = tally.with(GroupTally::of(self.cx, row), u32::saturating_sub);
        }
    }

    pub(super) fn group_at(&self, ix: u32) -> Option<usize> {
        let groups = &self.cx.history.groups;
        let at = groups.partition_point(|group| group.end <= ix);
        (groups.get(at)?.start <= ix).then_some(at)
    }

    /// Requests a mode for a group; the harshest request applies.
    pub(super) fn request_mode(&mut self, group: usize, mode: GroupMode, cause: Cause) {
        let wish = self.modes.entry(group).or_insert((mode, cause));
        if mode > wish.0 {
            *wish = (mode, cause);
        }
    }

    /// Ok if a group can be replayed in a mode, or else the reason.
    pub(in crate::repair) fn can_apply_mode(&self, group: &Group, mode: GroupMode) -> Result<(), &'static str> {
        let fits = match mode {
            GroupMode::Referenced => self.can_refer(group),
            GroupMode::Detached => self.tally(group).bound == 0,
            GroupMode::Thinned | GroupMode::Flattened => true,
        };
        if !fits {
            return Err(NEEDS_ITS_ID);
        }
        if self.keeps_reasoning() && group.has_reasoning() {
            return Err("it would rewrite reasoning (--reasoning keep)");
        }
        if self.memo.has_uneditable(&self.cx.history.rows, group) {
            return Err("an item of its group is in a record that cannot be edited");
        }
        if mode >= GroupMode::Thinned && self.options.lossless && self.loses_by_flattening(group) {
            return Err("it would lose reasoning or hosted calls (--lossless)");
        }
        Ok(())
    }

    fn can_refer(&self, group: &Group) -> bool {
        self.cx.reference_obstacle(std::iter::empty()).is_none() && self.tally(group).unreferable == 0
    }

    fn loses_by_flattening(&self, group: &Group) -> bool {
        self.tally(group).lost > 0
    }

    /// The items of a group that its mode affects: not those that are dropped anyway, nor unknown ones.
    pub(super) fn affected_items<'s>(&'s self, group: &Group) -> impl Iterator<Item = (u32, &'s Row)> + 's {
        let range = group.start..group.end;
        range.map(|ix| (ix, self.cx.row(ix))).filter(|(ix, row)| row.is_model_made() && !self.is_dropped(*ix))
    }

    /// Turns the modes into decisions about the items.
    pub(super) fn apply_modes(&mut self) {
        for (at, (mode, cause)) in std::mem::take(&mut self.modes) {
            let Some(&group) = self.cx.history.groups.get(at) else { continue };
            let touched: Vec<(u32, Row)> = self.affected_items(&group).map(|(ix, row)| (ix, *row)).collect();
            let linked_before = group.has_reasoning();
            for (ix, row) in touched {
                match mode {
                    // Approvals are paired by the id itself; items without an id stay in full.
                    GroupMode::Referenced
                        if row.is_reference() || !row.has_id() || row.kind.family() == Some(Family::Approval) => {}
                    GroupMode::Referenced => {
                        self.decision(ix).change_text(Text::ReplaceWithReference);
                        self.note_change(
                            ix,
                            cause,
                            Action::Rewrite,
                            Loss::Lossless,
                            "replace it with a reference to \
                                                                                 the stored item",
                        );
                    }
                    GroupMode::Flattened if row.is_reasoning() => {
                        self.drop_row(ix, cause, Loss::Lossy, "drop the reasoning");
                    }
                    // Reasoning without encrypted content is meaningless without its id.
                    GroupMode::Thinned if row.is_reasoning() && !self.cx.can_detach(std::iter::once(&row)) => {
                        self.drop_row(ix, cause, Loss::Lossy, "drop the reasoning");
                    }
                    _ if row.kind == Kind::McpListTools && !linked_before => {}
                    _ if self.stays_referenced(&row) => {}
                    GroupMode::Thinned | GroupMode::Flattened if self.cx.depends_on_id(&row) => {
                        let what = "drop the server-side call, which cannot be replayed without its id";
                        self.drop_row(ix, cause, Loss::Lossy, what);
                    }
                    _ if self
                        .decisions
                        .get(&ix)
                        .is_some_and(|decision| decision.text.contains(&Text::StripId)) => {}
                    _ if row.has_id_member() && (!needs_id(&row) || self.cx.replays_without_id(&row)) => {
                        self.decision(ix).change_text(Text::StripId);
                        let what = match mode {
                            GroupMode::Detached | GroupMode::Thinned => "remove the item id",
                            _ => "remove the id, and the ids of its group",
                        };
                        self.note_change(ix, cause, Action::Strip, Loss::Lossless, what);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Strips the id of a single item, such as a user's message or an output, which is in no group.
    fn strip_own_id(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let row = *self.cx.row(ix);
        if is_uneditable(&row) {
            return self.refuse(judged, "it is in a record that cannot be edited");
        }
        if needs_id(&row) {
            return self.refuse(judged, NEEDS_ITS_ID);
        }
        if !self.is_dropped(ix) {
            self.decision(ix).change_text(Text::StripId);
            self.note_change(ix, chosen.cause, Action::Strip, Loss::Lossless, judged.variant().fix);
        }
    }

    /// Restores reasoning from a recorded response to the items that it preceded.
    fn restore_reasoning(&mut self, group: &Group, chosen: &ChosenAct<'_>) -> bool {
        let row = &chosen.judged.finding.row;
        if group.has_reasoning() {
            return false;
        }
        let Some(head) = self.cx.stored_items.reasoning(row.id).filter(|head| !head.embedded).copied() else {
            return false;
        };
        let first = self.affected_items(group).map(|(ix, _)| ix).next();
        // Encrypted content is needed where the server stores none; and the reasoning must belong to the first
        // item of the group.
        let Some(first) = first.filter(|first| self.cx.row(*first).id == row.id && self.cx.stored) else {
            return false;
        };
        let place = head.at;
        self.decision(first).insert_before(vec![Insertion::Copied(place)]);
        let what = "restore the recorded reasoning before it";
        self.note_change_beside(first, chosen.cause, Action::Rewrite, Loss::Lossless, what, Some(place));
        true
    }

    /// Applies `--reasoning strip` to every group.
    pub(super) fn strip_reasoning_by_flag(&mut self) {
        if self.options.reasoning != Reasoning::Strip || !self.applies_flags {
            return;
        }
        for (at, group) in self.cx.history.groups.iter().enumerate() {
            if group.has_reasoning() && self.can_apply_mode(group, GroupMode::Flattened).is_ok() {
                self.request_mode(at, GroupMode::Flattened, Cause::Flag("--reasoning strip"));
            }
        }
    }

    /// Why no item of a group may be dropped: the rest would have to change with it. `None` if it may.
    pub(super) fn refusal_to_drop(&self, group: &Group) -> Option<&'static str> {
        if self.keeps_reasoning() && group.has_reasoning() {
            return Some("it would change reasoning (--reasoning keep)");
        }
        let fixed = self.memo.has_uneditable(&self.cx.history.rows, group);
        fixed.then_some("an item of its group is in a record that cannot be edited")
    }
}
