//! References to stored items, and items in place of references: `--reasoning reference` and `--reasoning inline`.
//! A group changes as a whole, or the plan reports why it does not.

use foldhash::HashSet;

use crate::history::{Class, Group, GroupMode, Kind, PairState, Row};
use crate::rule::Loss;

use super::history_plan::PlanBuilder;
use super::reasons::ITEM_NOT_IN_FILE;
use crate::repair::{Action, Cause, Reasoning, SkippedGroup};

const OPEN: &str = "a call in it has no output";
const UNPROVEN: &str = "its server-side call has no reasoning before it";
const QUOTED: &str = "the file contains the full item only inside a JSON string";
const TWICE: &str = "the history already contains the full item";

impl PlanBuilder<'_> {
    /// Applies `--reasoning reference` or `--reasoning inline` to every group.
    pub(super) fn apply_reference_flags(&mut self) {
        if !self.applies_flags {
            return;
        }
        match self.options.reasoning {
            Reasoning::Reference => self.refer_by_flag(),
            Reasoning::Inline => self.inline_by_flag(),
            Reasoning::Auto | Reasoning::Keep | Reasoning::Strip => {}
        }
    }

    /// Notes that a flag changes nothing in this history, on its first row.
    pub(in crate::repair) fn skipped_history(&self, reason: &'static str) -> Option<SkippedGroup> {
        let row = self.cx.history.rows.first()?;
        Some(SkippedGroup { at: row.at, flags: row.flags, reason })
    }

    fn refer_by_flag(&mut self) {
        let answered = self.answered_calls();
        for (at, group) in self.cx.history.groups.iter().enumerate() {
            let items: Vec<(u32, Row)> = self.affected_items(group).map(|(ix, row)| (ix, *row)).collect();
            let names = |row: &Row| row.is_reasoning() || row.has_id();
            // Nothing to reference.
            let full = items.iter().filter(|(_, row)| !row.is_reference()).find(|(_, row)| names(row));
            let Some((first, _)) = full else { continue };
            match self.cannot_refer(group, &items, &answered) {
                None => self.request_mode(at, GroupMode::Referenced, Cause::Flag("--reasoning reference")),
                Some(reason) => self.skipped_groups.push(SkippedGroup::of(self.cx.row(*first), reason)),
            }
        }
    }

    fn cannot_refer(&self, group: &Group, items: &[(u32, Row)], answered: &HashSet<u32>) -> Option<&'static str> {
        if let Some(why) = self.cx.reference_obstacle(items.iter().map(|(_, row)| row)) {
            return Some(why);
        }
        if let Err(why) = self.can_apply_mode(group, GroupMode::Referenced) {
            return Some(why);
        }
        // A reference would not show that the call is pending.
        let open = |(ix, row): &(u32, Row)| row.is_client_call() && !answered.contains(ix);
        let hosted =
            |(_, row): &(u32, Row)| row.item_kind.class() == Class::Hosted && row.item_kind != Kind::McpListTools;
        if items.iter().any(open) {
            return Some(OPEN);
        }
        let unproven = !group.has_reasoning() && self.cx.reasons() == Some(true) && items.iter().any(hosted);
        unproven.then_some(UNPROVEN)
    }

    fn answered_calls(&self) -> HashSet<u32> {
        let is_answered = |state| matches!(state, PairState::Answered | PairState::DuplicatePair);
        let pairs = self.cx.history.pairs.iter().filter(|pair| is_answered(pair.state));
        pairs.map(|pair| pair.call).collect()
    }

    /// True for a reference to an item that the server stores independently of its group: a message, or a call
    /// whose output is in the history. It stays, whatever happens to its neighbours.
    pub(super) fn stays_referenced(&self, row: &Row) -> bool {
        let own =
            matches!(row.item_kind.class(), Class::Message | Class::Call) || row.item_kind == Kind::McpListTools;
        self.cx.stored && self.cx.caps.references && row.is_reference() && own
    }

    fn inline_by_flag(&mut self) {
        let mut done = 0;
        for group in &self.cx.history.groups {
            (done..group.start).for_each(|ix| self.inline_all(&[ix]));
            let items: Vec<u32> = self.affected_items(group).map(|(ix, _)| ix).collect();
            self.inline_all(&items);
            done = group.end;
        }
        (done..self.cx.history.rows.len() as u32).for_each(|ix| self.inline_all(&[ix]));
    }

    /// Replaces the references among these items with their items: all of them, or none.
    fn inline_all(&mut self, items: &[u32]) {
        let is_open = |ix: &&u32| {
            let replaced =
                self.decisions.get(*ix).is_some_and(|decision| decision.drop || decision.replaced_by().is_some());
            self.cx.row(**ix).is_reference() && !replaced
        };
        let references: Vec<u32> = items.iter().filter(is_open).copied().collect();
        let Some(first) = references.first().map(|ix| *self.cx.row(*ix)) else { return };
        let mut found = Vec::new();
        for ix in references {
            match self.full_item_place(ix) {
                Ok(place) => found.push((ix, place)),
                Err(reason) => {
                    return self.skipped_groups.push(SkippedGroup::of(&first, reason));
                }
            }
        }
        for (ix, place) in found {
            self.decision(ix).replace_by(place);
            let (cause, what) = (Cause::Flag("--reasoning inline"), "replace the reference with the item");
            self.note_change_beside(ix, cause, Action::Rewrite, Loss::Lossless, what, Some(place));
        }
    }

    /// The place of the full item of a reference, or why there is none to copy.
    fn full_item_place(&self, ix: u32) -> Result<crate::place::Place, &'static str> {
        let row = self.cx.row(ix);
        if super::memo::is_uneditable(row) {
            return Err("it is in a record that cannot be edited");
        }
        let item = self.cx.stored_items.item(row.id).ok_or(ITEM_NOT_IN_FILE)?;
        match item.embedded {
            true => Err(QUOTED),
            false if self.memo.contains_item(&self.cx.history.rows, item.at) => Err(TWICE),
            false => Ok(item.at),
        }
    }
}
