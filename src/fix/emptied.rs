//! Messages of which nothing is left. What a message holds besides its blocks, as the thoughts beside the calls of Chat,
//! goes with it, and is listed then.

use std::collections::HashMap;

use crate::dialect::TextChange as Text;
use crate::history::{BlockFlags, Kind};
use crate::json::Val;

use super::plan::{Fate, Plan};
use super::{Action, Change};

/// Members of a message that say nothing to the model, or nothing without its blocks.
const ENVELOPE: [&str; 13] = [
    "role",
    "type",
    "id",
    "name",
    "model",
    "usage",
    "stop_reason",
    "stop_sequence",
    "content",
    "parts",
    "tool_calls",
    "created_at",
    "timestamp",
];

impl Plan<'_> {
    /// A message goes with the last of its blocks; its list of calls with the last of them.
    pub(super) fn drop_emptied(&mut self) {
        let mut gone = Vec::new();
        for message in &self.cx.history.messages.list {
            let row = *self.cx.row(message.row);
            if row.kind != Kind::BlockMessage || message.blocks().is_empty() {
                continue;
            }
            let empties = |plan: &Self, ix: u32| {
                let goes = |fate: &Fate| !fate.stays() && fate.before.is_empty() && fate.behind.is_empty();
                plan.fates.get(&ix).is_some_and(goes)
            };
            let is_call = |plan: &Self, ix: u32| plan.cx.row(ix).kind == Kind::ToolUse;
            let all =
                |keep: &dyn Fn(u32) -> bool| message.blocks().filter(|ix| keep(*ix)).all(|ix| empties(self, ix));
            if all(&|_| true) && !row.has(BlockFlags::CONTENT) {
                self.fate(message.row).drop = true;
                gone.push((message.row, message.blocks()));
            } else if row.has(BlockFlags::CALLS_APART)
                && message.blocks().any(|ix| is_call(self, ix))
                && all(&|ix| is_call(self, ix))
            {
                let calls: Vec<u32> = message.blocks().filter(|ix| is_call(self, *ix)).collect();
                for call in calls {
                    self.fates.remove(&call);
                }
                self.fate(message.row).text.push(Text::StripCalls);
            }
        }
        gone.retain(|(ix, _)| self.says_more(*ix));
        if gone.is_empty() {
            return;
        }
        let left: HashMap<u32, Change> = self.changes().map(|(ix, change)| (ix, *change)).collect();
        for (ix, mut blocks) in gone {
            if let Some(change) = blocks.find_map(|block| left.get(&block)) {
                self.change(
                    ix,
                    change.cause,
                    Action::Drop,
                    change.loss,
                    "drop the message, which loses its last block",
                );
            }
        }
    }

    /// Whether a message says something besides its blocks.
    fn says_more(&self, ix: u32) -> bool {
        let (cx, mut more) = (self.cx, false);
        let says = |val: Val<'_>| match val.is_string() {
            true => val.raw() != b"\"\"",
            false => val.count() > 0 && (val.is_array() || val.is_object()),
        };
        cx.look.look(cx.row(ix), &mut |message| {
            more = message
                .members()
                .any(|member| !ENVELOPE.iter().any(|key| member.key.is(key.as_bytes())) && says(member.val));
        });
        more
    }
}
