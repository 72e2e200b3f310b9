//! Modes of groups. A group is kept, referenced, detached (no ids, reasoning with its blob), or flattened (no ids, no
//! reasoning); never a mixture.

use crate::dialect::TextChange as Text;
use crate::history::{Act, Family, Group, ItemFlags, Kind, Mode, Row};
use crate::rule::Loss;

use super::chosen::Chosen;
use super::history_plan::{Plan, lives_by_id};
use super::memo::is_fixed_in_place;
use super::tally::Tally;
use crate::repair::edit::insertion::Fresh;
use crate::repair::{Action, Cause, Reasoning};

/// Why an item that lives by its id keeps it.
const NEEDS_ITS_ID: &str = "the item cannot be replayed without its id";
const NOT_RECORDED: &str = "no recorded response of the file shows its reasoning";

impl Plan<'_> {
    /// The group of an item gets another mode.
    pub(super) fn regroup(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(mode) = chosen.act.mode() else { return };
        // The mode of a group says nothing of what the model did not make.
        let Some(at) = self.group_at(ix).filter(|_| self.cx.row(ix).is_model_made()) else {
            return match mode {
                Mode::Detached if chosen.act != Act::Restore => self.strip_lonely_id(chosen),
                _ => self.refuse(judged, NEEDS_ITS_ID),
            };
        };
        if self.is_dropped(ix) {
            return;
        }
        if chosen.act == Act::StripId {
            return self.strip_lonely_id(chosen);
        }
        let Some(&group) = self.cx.history.groups.get(at) else { return };
        if chosen.act == Act::Restore {
            if !self.put_back(&group, chosen) {
                self.refuse(judged, NOT_RECORDED);
            }
            return;
        }
        match self.can_take(&group, mode) {
            Ok(()) if self.stays_as_it_is(ix, mode) => self.refuse(judged, NEEDS_ITS_ID),
            Ok(()) => {
                self.want(at, mode, chosen.cause);
                // What lives by its id keeps it.
                if let Some(heir) = self.heir_of(at).filter(|_| mode > Mode::Referenced) {
                    self.want(heir, Mode::Detached, chosen.cause);
                }
            }
            Err(why) => self.refuse(judged, why),
        }
    }

    /// The group that reasoning without an item may have headed before something came between them: its items have ids,
    /// and no reasoning of their own. Whatever becomes of the one becomes of the other.
    pub(in crate::repair) fn heir_of(&self, at: usize) -> Option<usize> {
        let group = self.cx.history.groups.get(at)?;
        let head = self.cx.row(group.start.max(group.body.saturating_sub(1)));
        let lonely = group.has_reasoning() && !group.has_members() && head.has_id() && !head.has(ItemFlags::BOUND);
        let next = self.cx.history.groups.get(at + 1).filter(|next| lonely && !next.has_reasoning())?;
        let linked = self.cx.history.among(next.members()).iter().any(|row| row.is_model_made() && row.has_id());
        linked.then_some(at + 1)
    }

    /// In a group of this mode, an item that says nothing without its id, and does not go with it either.
    fn stays_as_it_is(&self, ix: u32, mode: Mode) -> bool {
        let row = self.cx.row(ix);
        let goes = mode >= Mode::Thinned && self.cx.goes_with_its_id(row);
        let stays = !goes && lives_by_id(row) && !self.cx.replays_without_id(row);
        mode >= Mode::Detached && (stays || self.stays_referenced(row))
    }

    /// The numbers of what is left of a group.
    pub(super) fn tally(&self, group: &Group) -> Tally {
        let count = || {
            let rows = self.touched(group).map(|(_, row)| Tally::of(self.cx, row));
            rows.fold(Tally::default(), |sum, row| sum.with(row, |a, b| a + b))
        };
        *self.tallies.borrow_mut().entry(group.start).or_insert_with(count)
    }

    /// An item goes that was counted.
    pub(super) fn uncount(&mut self, ix: u32) {
        let row = self.cx.row(ix);
        let group = self.cx.history.group_of(ix).filter(|_| row.is_model_made());
        if let Some(tally) = group.and_then(|group| self.tallies.get_mut().get_mut(&group.start)) {
            *tally = tally.with(Tally::of(self.cx, row), u32::saturating_sub);
        }
    }

    pub(super) fn group_at(&self, ix: u32) -> Option<usize> {
        let groups = &self.cx.history.groups;
        let at = groups.partition_point(|group| group.end <= ix);
        (groups.get(at)?.start <= ix).then_some(at)
    }

    /// The harshest wish holds.
    pub(super) fn want(&mut self, group: usize, mode: Mode, cause: Cause) {
        let wish = self.modes.entry(group).or_insert((mode, cause));
        if mode > wish.0 {
            *wish = (mode, cause);
        }
    }

    /// Whether a group can be replayed in a mode, or why not.
    pub(in crate::repair) fn can_take(&self, group: &Group, mode: Mode) -> Result<(), &'static str> {
        let fits = match mode {
            Mode::Referenced => self.can_refer(group),
            Mode::Detached => self.tally(group).bound == 0,
            Mode::Thinned | Mode::Flattened => true,
        };
        if !fits {
            return Err(NEEDS_ITS_ID);
        }
        if self.keeps_reasoning() && group.has_reasoning() {
            return Err("its reasoning would have to be rewritten (--reasoning keep)");
        }
        if self.once.has_fixed(&self.cx.history.rows, group) {
            return Err("an item of its group is in a record that is not edited");
        }
        if mode >= Mode::Thinned && self.options.lossless && self.loses_by_flattening(group) {
            return Err("it would lose reasoning or hosted calls (--lossless)");
        }
        Ok(())
    }

    fn can_refer(&self, group: &Group) -> bool {
        self.cx.unreferable(std::iter::empty()).is_none() && self.tally(group).unreferable == 0
    }

    fn loses_by_flattening(&self, group: &Group) -> bool {
        self.tally(group).lost > 0
    }

    /// The items of a group that its mode speaks of: not those that are dropped anyway, nor unknown ones.
    pub(super) fn touched<'s>(&'s self, group: &Group) -> impl Iterator<Item = (u32, &'s Row)> + 's {
        let range = group.start..group.end;
        range.map(|ix| (ix, self.cx.row(ix))).filter(|(ix, row)| row.is_model_made() && !self.is_dropped(*ix))
    }

    /// Writes the modes into the fates of the items.
    pub(super) fn apply_modes(&mut self) {
        for (at, (mode, cause)) in std::mem::take(&mut self.modes) {
            let Some(&group) = self.cx.history.groups.get(at) else { continue };
            let touched: Vec<(u32, Row)> = self.touched(&group).map(|(ix, row)| (ix, *row)).collect();
            let linked_before = group.has_reasoning();
            for (ix, row) in touched {
                match mode {
                    // Approvals are paired by the id itself; what has no id stays in full.
                    Mode::Referenced
                        if row.is_reference() || !row.has_id() || row.kind.family() == Some(Family::Approval) => {}
                    Mode::Referenced => {
                        self.fate(ix).text.push(Text::Refer);
                        self.change(
                            ix,
                            cause,
                            Action::Rewrite,
                            Loss::Lossless,
                            "replace it by a reference to \
                                                                                 the stored item",
                        );
                    }
                    Mode::Flattened if row.is_reasoning() => {
                        self.drop_row(ix, cause, Loss::Lossy, "drop the reasoning");
                    }
                    // Reasoning without a blob says nothing without its id.
                    Mode::Thinned if row.is_reasoning() && !self.cx.can_detach(std::iter::once(&row)) => {
                        self.drop_row(ix, cause, Loss::Lossy, "drop the reasoning");
                    }
                    _ if row.kind == Kind::McpListTools && !linked_before => {}
                    _ if self.stays_referenced(&row) => {}
                    Mode::Thinned | Mode::Flattened if self.cx.goes_with_its_id(&row) => {
                        let what = "drop the server-side call, which cannot be replayed without its id";
                        self.drop_row(ix, cause, Loss::Lossy, what);
                    }
                    _ if self.fates.get(&ix).is_some_and(|fate| fate.text.contains(&Text::StripId)) => {}
                    _ if row.has_id_member() && (!lives_by_id(&row) || self.cx.replays_without_id(&row)) => {
                        self.fate(ix).text.push(Text::StripId);
                        let what = match mode {
                            Mode::Detached | Mode::Thinned => "remove the item id",
                            _ => "remove the id, and the ids of its group",
                        };
                        self.change(ix, cause, Action::Strip, Loss::Lossless, what);
                    }
                    _ => {}
                }
            }
        }
    }

    /// An item in no group: a user's message, an output.
    fn strip_lonely_id(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let row = *self.cx.row(ix);
        if is_fixed_in_place(&row) {
            return self.refuse(judged, "it is in a record that is not edited");
        }
        if lives_by_id(&row) {
            return self.refuse(judged, NEEDS_ITS_ID);
        }
        if !self.is_dropped(ix) {
            self.fate(ix).text.push(Text::StripId);
            self.change(ix, chosen.cause, Action::Strip, Loss::Lossless, judged.variant().fix);
        }
    }

    /// Reasoning that a recorded response shows goes back to the items that it headed.
    fn put_back(&mut self, group: &Group, chosen: &Chosen) -> bool {
        let row = &chosen.judged.finding.row;
        if group.has_reasoning() {
            return false;
        }
        let Some(head) = self.cx.known.head(row.id).filter(|head| !head.embedded).copied() else { return false };
        let first = self.touched(group).map(|(ix, _)| ix).next();
        // A blob is needed where the server stores none; and the head must belong to the first item of the group.
        let Some(first) = first.filter(|first| self.cx.row(*first).id == row.id && self.cx.stored) else {
            return false;
        };
        let place = head.at;
        self.fate(first).before.push(Fresh::Copied(place));
        let what = "restore the recorded reasoning before it";
        self.change_with(first, chosen.cause, Action::Rewrite, Loss::Lossless, what, Some(place));
        true
    }

    /// `--reasoning strip` acts on every group.
    pub(super) fn reasoning_by_flag(&mut self) {
        if self.options.reasoning != Reasoning::Strip || !self.by_flag {
            return;
        }
        for (at, group) in self.cx.history.groups.iter().enumerate() {
            if group.has_reasoning() && self.can_take(group, Mode::Flattened).is_ok() {
                self.want(at, Mode::Flattened, Cause::Flag("--reasoning strip"));
            }
        }
    }

    /// Why no item of a group may go for good: the rest would have to change with it.
    pub(super) fn cannot_lose(&self, group: &Group) -> Option<&'static str> {
        if self.keeps_reasoning() && group.has_reasoning() {
            return Some("its reasoning would have to change (--reasoning keep)");
        }
        let fixed = self.once.has_fixed(&self.cx.history.rows, group);
        fixed.then_some("an item of its group is in a record that is not edited")
    }
}
