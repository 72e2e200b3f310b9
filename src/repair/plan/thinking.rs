//! What becomes of thinking where messages hold blocks: it goes with the calls that it only led to, and where it is
//! signed together with what stood in front of it, it goes where that changes.

use std::collections::BTreeSet;

use crate::history::{BlockFlags, Kind};
use crate::rule::Loss;

use super::chosen::Chosen;
use super::history_plan::{Fate, Plan};
use crate::repair::{Cause, Reasoning};

impl Plan<'_> {
    pub(super) fn thinking_by_flag(&mut self) {
        if self.options.reasoning != Reasoning::Strip || !self.by_flag {
            return;
        }
        for ix in self.thinking_from(0) {
            self.drop_row(ix, Cause::Flag("--reasoning strip"), Loss::Lossy, "drop the thinking");
        }
    }

    fn thinking_from(&self, first: u32) -> Vec<u32> {
        let rows = first..self.cx.history.rows.len() as u32;
        rows.filter(|ix| self.cx.row(*ix).kind == Kind::Thinking).collect()
    }

    /// Thinking of a response that is stored over several lines goes as a whole: the API takes all of it, or none.
    pub(super) fn drop_thinking_beside(&mut self, ix: u32, cause: Cause) {
        let (cx, messages) = (self.cx, &self.cx.history.messages);
        let response = |ix: u32| messages.of_row(ix).map_or(0, |message| cx.row(message.row).id);
        let id = response(ix);
        if cx.row(ix).kind != Kind::Thinking || id == 0 {
            return;
        }
        let of_responses = || self.thinking_from(0).into_iter().map(|ix| (response(ix), ix)).collect();
        for other in self.once.thinking_of(id, of_responses) {
            self.drop_row(other, cause, Loss::Lossy, "drop the thinking of the same response");
        }
    }

    /// Thinking that only led to calls which go, goes with them.
    pub(super) fn drop_idle_thinking(&mut self) {
        if self.keeps_reasoning() || !self.may_lose() {
            return;
        }
        let messages = &self.cx.history.messages;
        let lost = self.causes_of_loss();
        let is_lost_call = |ix: &u32| self.cx.row(*ix).kind == Kind::ToolUse && lost.contains_key(ix);
        let of_calls: BTreeSet<u32> =
            lost.keys().copied().filter(is_lost_call).filter_map(|call| messages.number_of(call)).collect();
        let mut idle = Vec::new();
        for message in of_calls.into_iter().map(|message| messages.get(message)) {
            let left: Vec<u32> = message.blocks().filter(|ix| !self.is_dropped(*ix)).collect();
            if left.iter().all(|ix| self.cx.row(*ix).kind == Kind::Thinking) {
                let why = message.blocks().find(is_lost_call).and_then(|call| lost.get(&call).copied());
                idle.extend(
                    why.into_iter().flat_map(|why| left.iter().map(move |ix| (*ix, why)).collect::<Vec<_>>()),
                );
            }
        }
        for (ix, why) in idle {
            self.drop_row(ix, why, Loss::Lossy, "drop the thinking that led to the dropped call");
        }
    }

    /// Thinking after the first change is not what was signed any more. Thinking in front of it stays valid.
    pub(super) fn drop_unbound_thinking(&mut self, chosen: &[Chosen]) {
        let touched = |(ix, fate): (&u32, &Fate)| {
            let says_other = fate.text.iter().any(|change| !change.keeps_signatures());
            let here = !fate.stays() || says_other || !fate.before.is_empty();
            if here { Some(*ix) } else { (!fate.behind.is_empty()).then_some(*ix + 1) }
        };
        // Instructions stand in front of all messages.
        let hoists = self.fates.values().any(|fate| fate.hoisted.is_some());
        let Some(first) = self.fates.iter().filter_map(touched).min() else { return };
        let mut unbound = self.thinking_from(if hoists { 0 } else { first });
        unbound.retain(|ix| self.cx.row(*ix).has(BlockFlags::SIGNED) && !self.is_dropped(*ix));
        if unbound.is_empty() {
            return;
        }
        if !self.may_lose() || self.keeps_reasoning() {
            let why = "it would invalidate the signed thinking after it";
            return self.refuse_all(chosen, why);
        }
        let why = self.first_cause().unwrap_or(Cause::Flag("fix"));
        for ix in unbound {
            self.drop_row(ix, why, Loss::Lossy, "drop the thinking, whose signature covers what was changed");
        }
        self.drop_emptied();
    }
}
