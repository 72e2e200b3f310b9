//! Messages that lose all their blocks. What such a message contains besides its blocks, such as the reasoning
//! beside the calls of Chat, is removed with it and listed.

use std::collections::BTreeSet;

use foldhash::HashMap;

use crate::dialect::TextChange as Text;
use crate::history::{BlockFlags, Kind};
use crate::json::Member;
use crate::rule::Loss;

use crate::repair::plan::history_plan::PlanBuilder;
use crate::repair::{Action, Cause};

/// Members of a message that contain its blocks, or their cost.
const LISTS: [&str; 4] = ["content", "parts", "tool_calls", "usage"];

/// Members that mean nothing to the model without the blocks.
const ENVELOPE: [&str; 9] =
    ["role", "type", "id", "name", "model", "stop_reason", "stop_sequence", "created_at", "timestamp"];

impl PlanBuilder<'_> {
    /// Drops each message with the last of its blocks, and each list of calls with the last call.
    pub(in crate::repair) fn drop_empty_messages(&mut self) {
        let mut gone = Vec::new();
        let messages = &self.cx.history.messages;
        let touched: BTreeSet<u32> = self.decisions.keys().filter_map(|ix| messages.number_of(*ix)).collect();
        for message in touched.into_iter().map(|number| messages.get(number)) {
            let row = *self.cx.row(message.row);
            if row.kind != Kind::BlockMessage || message.blocks().is_empty() || self.is_dropped(message.row) {
                continue;
            }
            let empties =
                |plan: &Self, ix: u32| plan.decisions.get(&ix).is_some_and(|decision| decision.empties());
            let is_call = |plan: &Self, ix: u32| plan.cx.row(ix).kind == Kind::ToolUse;
            let all =
                |keep: &dyn Fn(u32) -> bool| message.blocks().filter(|ix| keep(*ix)).all(|ix| empties(self, ix));
            if all(&|_| true) && !row.has(BlockFlags::CONTENT) {
                self.decision(message.row).drop = true;
                gone.push((message.row, message.blocks()));
            } else if row.has(BlockFlags::CALLS_APART)
                && message.blocks().any(|ix| is_call(self, ix))
                && all(&|ix| is_call(self, ix))
            {
                let calls: Vec<u32> = message.blocks().filter(|ix| is_call(self, *ix)).collect();
                for call in calls {
                    self.decisions.remove(&call);
                }
                self.decision(message.row).change_text(Text::StripCalls);
            }
        }
        gone.retain(|(ix, _)| self.has_other_content(*ix));
        if gone.is_empty() {
            return;
        }
        let left: HashMap<u32, (Cause, Loss)> =
            self.changes().map(|change| (change.ix, (change.cause, change.loss))).collect();
        for (ix, mut blocks) in gone {
            if let Some(&(cause, loss)) = blocks.find_map(|block| left.get(&block)) {
                self.note_change(
                    ix,
                    cause,
                    Action::Drop,
                    loss,
                    "drop the message, because its last block is dropped",
                );
            }
        }
    }

    /// True if a message has content besides its blocks.
    fn has_other_content(&self, ix: u32) -> bool {
        let (cx, mut more) = (self.cx, false);
        let is_one = |member: &Member<'_>, of: &[&str]| of.iter().any(|key| member.key.is(key.as_bytes()));
        let says = |member: Member<'_>| match member.val.is_string() {
            true => member.val.raw() != b"\"\"" && !is_one(&member, &ENVELOPE),
            false => member.val.count() > 0 && (member.val.is_array() || member.val.is_object()),
        };
        cx.text.with_item(cx.row(ix), &mut |message| {
            more = message.members().any(|member| !is_one(&member, &LISTS) && says(member));
        });
        more
    }
}
