//! Thinking in messages of blocks: it is dropped with the calls that it only led to, and where its signature
//! covers everything before it, it is dropped when that changes.

use std::collections::BTreeSet;

use crate::history::{BlockFlags, Kind};
use crate::rule::Loss;

use super::chosen_act::ChosenAct;
use super::history_plan::PlanBuilder;
use super::item_decision::ItemDecision;
use crate::repair::Cause;

impl PlanBuilder<'_> {
    pub(super) fn thinking_from(&self, first: u32) -> Vec<u32> {
        let rows = first..self.cx.history.rows.len() as u32;
        rows.filter(|ix| self.cx.row(*ix).kind == Kind::Thinking).collect()
    }

    /// Drops the other thinking of the response of a thinking block: the API accepts all of it, or none.
    pub(super) fn drop_thinking_of_response(&mut self, ix: u32, cause: Cause) {
        let (cx, messages) = (self.cx, &self.cx.history.messages);
        let response = |ix: u32| messages.of_row(ix).map_or(0, |message| cx.row(message.row).id);
        let id = response(ix);
        if cx.row(ix).kind != Kind::Thinking || id == 0 {
            return;
        }
        let of_responses = || self.thinking_from(0).into_iter().map(|ix| (response(ix), ix)).collect();
        for other in self.memo.thinking_of(id, of_responses) {
            self.drop_row(other, cause, Loss::Lossy, "drop the thinking of the same response");
        }
    }

    /// Drops thinking that only led to dropped calls.
    pub(super) fn drop_idle_thinking(&mut self) {
        if self.keeps_reasoning() || !self.may_lose() {
            return;
        }
        let messages = &self.cx.history.messages;
        let lost_calls = self.causes_of_loss(|row| row.kind == Kind::ToolUse);
        let of_calls: BTreeSet<u32> = lost_calls.keys().filter_map(|call| messages.number_of(*call)).collect();
        let mut idle = Vec::new();
        for message in of_calls.into_iter().map(|message| messages.get(message)) {
            let left: Vec<u32> = message.blocks().filter(|ix| !self.is_dropped(*ix)).collect();
            if left.iter().all(|ix| self.cx.row(*ix).kind == Kind::Thinking) {
                let why = message.blocks().find_map(|ix| lost_calls.get(&ix).copied());
                idle.extend(
                    why.into_iter().flat_map(|why| left.iter().map(move |ix| (*ix, why)).collect::<Vec<_>>()),
                );
            }
        }
        for (ix, why) in idle {
            self.drop_row(ix, why, Loss::Lossy, "drop the thinking that led to the dropped call");
        }
    }

    /// Drops signed thinking after the first change, whose signature is no longer valid. Thinking before it stays
    /// valid.
    pub(super) fn drop_unbound_thinking(&mut self, chosen: &[ChosenAct<'_>]) {
        let touched = |ix: &u32, decision: &ItemDecision| {
            let says_other = decision.text.iter().any(|change| !change.keeps_signatures());
            let here = !decision.stays() || says_other || !decision.before.is_empty();
            if here || decision.after.is_empty() {
                return here.then_some(*ix);
            }
            // What follows a message follows its blocks.
            let message = self.cx.history.messages.of_row(*ix).filter(|message| message.row == *ix);
            Some(message.and_then(|message| message.blocks().next_back()).unwrap_or(*ix) + 1)
        };
        // Instructions come before all messages.
        let hoists = self.decisions.values().any(|decision| decision.hoisted().is_some());
        let Some(first) = self.decisions.iter().filter_map(|(ix, decision)| touched(ix, decision)).min() else {
            return;
        };
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
            self.drop_row(ix, why, Loss::Lossy, "drop the thinking, whose signature covers the changed text");
        }
        self.drop_empty_messages();
    }
}
