//! References to stored items, and items in their place: what `--reasoning reference` and `--reasoning inline` ask for.
//! Either way a group changes as a whole, or the plan says why it does not.

use std::collections::HashSet;

use crate::history::{Class, Group, Kind, Mode, PairState, Row};
use crate::rule::Loss;

use super::history_plan::Plan;
use super::reasons::NOT_HELD;
use crate::repair::{Action, Cause, Left, Reasoning};

const OPEN: &str = "a call in it has no output";
const UNPROVEN: &str = "its server-side call has no reasoning before it";
const QUOTED: &str = "the file contains the full item only inside a JSON string";
const TWICE: &str = "the full item is in the history already";

impl Plan<'_> {
    /// `--reasoning reference` and `--reasoning inline` look at every group.
    pub(super) fn references_by_flag(&mut self) {
        if !self.by_flag {
            return;
        }
        match self.options.reasoning {
            Reasoning::Reference => self.refer_by_flag(),
            Reasoning::Inline => self.inline_by_flag(),
            Reasoning::Auto | Reasoning::Keep | Reasoning::Strip => {}
        }
    }

    /// That a flag changes nothing at all in this history.
    pub(in crate::repair) fn first_left(&self, why: &'static str) -> Option<Left> {
        let row = self.cx.history.rows.first()?;
        Some(Left { at: row.at, flags: row.flags, why })
    }

    fn refer_by_flag(&mut self) {
        let answered = self.answered_calls();
        for (at, group) in self.cx.history.groups.iter().enumerate() {
            let items: Vec<(u32, Row)> = self.touched(group).map(|(ix, row)| (ix, *row)).collect();
            let names = |row: &Row| row.is_reasoning() || row.has_id();
            // Nothing to reference, or nothing left to.
            let full = items.iter().filter(|(_, row)| !row.is_reference()).find(|(_, row)| names(row));
            let Some((first, _)) = full else { continue };
            match self.cannot_refer(group, &items, &answered) {
                None => self.want(at, Mode::Referenced, Cause::Flag("--reasoning reference")),
                Some(why) => {
                    self.left.push(Left { at: self.cx.row(*first).at, flags: self.cx.row(*first).flags, why })
                }
            }
        }
    }

    fn cannot_refer(&self, group: &Group, items: &[(u32, Row)], answered: &HashSet<u32>) -> Option<&'static str> {
        if let Some(why) = self.cx.unreferable(items.iter().map(|(_, row)| row)) {
            return Some(why);
        }
        if let Err(why) = self.can_take(group, Mode::Referenced) {
            return Some(why);
        }
        // The reference would not show that the call waits for its output.
        let open = |(ix, row): &(u32, Row)| row.is_client_call() && !answered.contains(ix);
        let hosted = |(_, row): &(u32, Row)| row.of.class() == Class::Hosted && row.of != Kind::McpListTools;
        if items.iter().any(open) {
            return Some(OPEN);
        }
        let unproven = !group.has_reasoning() && self.cx.reasons() == Some(true) && items.iter().any(hosted);
        unproven.then_some(UNPROVEN)
    }

    fn answered_calls(&self) -> HashSet<u32> {
        let is_answered = |state| matches!(state, PairState::Answered | PairState::PairAgain);
        let pairs = self.cx.history.pairs.iter().filter(|pair| is_answered(pair.state));
        pairs.map(|pair| pair.call).collect()
    }

    /// What a reference names whose item the server stores on its own account: a message, or a call whose output is in
    /// the history. It stays, whatever becomes of its neighbours.
    pub(super) fn stays_referenced(&self, row: &Row) -> bool {
        let own = matches!(row.of.class(), Class::Message | Class::Call) || row.of == Kind::McpListTools;
        self.cx.stored && self.cx.caps.references && row.is_reference() && own
    }

    fn inline_by_flag(&mut self) {
        let mut done = 0;
        for group in &self.cx.history.groups {
            (done..group.start).for_each(|ix| self.inline_all(&[ix]));
            let items: Vec<u32> = self.touched(group).map(|(ix, _)| ix).collect();
            self.inline_all(&items);
            done = group.end;
        }
        (done..self.cx.history.rows.len() as u32).for_each(|ix| self.inline_all(&[ix]));
    }

    /// The references among these items give way to the items that they name: all of them, or none.
    fn inline_all(&mut self, items: &[u32]) {
        let is_open = |ix: &&u32| {
            let replaced = self.fates.get(*ix).is_some_and(|fate| fate.drop || fate.replaced_by.is_some());
            self.cx.row(**ix).is_reference() && !replaced
        };
        let references: Vec<u32> = items.iter().filter(is_open).copied().collect();
        let Some(first) = references.first().map(|ix| *self.cx.row(*ix)) else { return };
        let mut found = Vec::new();
        for ix in references {
            match self.held(ix) {
                Ok(place) => found.push((ix, place)),
                Err(why) => return self.left.push(Left { at: first.at, flags: first.flags, why }),
            }
        }
        for (ix, place) in found {
            self.fate(ix).replaced_by = Some(place);
            let (cause, what) = (Cause::Flag("--reasoning inline"), "replace the reference by the item");
            self.change_with(ix, cause, Action::Rewrite, Loss::Lossless, what, Some(place));
        }
    }

    /// Where the full item lies that a reference names.
    fn held(&self, ix: u32) -> Result<crate::place::Place, &'static str> {
        let row = self.cx.row(ix);
        if super::memo::is_fixed_in_place(row) {
            return Err("it is in a record that is not edited");
        }
        let item = self.cx.known.item(row.id).ok_or(NOT_HELD)?;
        match item.embedded {
            true => Err(QUOTED),
            false if self.once.holds(&self.cx.history.rows, item.at) => Err(TWICE),
            false => Ok(item.at),
        }
    }
}
