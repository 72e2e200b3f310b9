//! Calls with results, to distinguish a duplicated call from one that was made again.

use std::ops::Range;

use foldhash::HashMap;

use crate::history::{BlockFlags, Kind, Pair, PairState, Pairing, Role};
use crate::rule::RuleContext;

/// The calls that have a result.
pub(super) struct AnsweredCalls {
    /// By the key of the call, in order; wherever the result is.
    pub by_key: HashMap<u64, Vec<u32>>,
    /// By message: the number of messages with content that the user has sent up to it.
    pub user_turns: Vec<u32>,
}

impl AnsweredCalls {
    pub fn of(cx: &RuleContext<'_>, pairing: Pairing) -> Self {
        let history = cx.history;
        let mut by_key: HashMap<u64, Vec<u32>> = HashMap::default();
        let has_result = |pair: &Pair| matches!(pair.state, PairState::Answered | PairState::Misplaced);
        for call in history.pairs.iter().filter(|pair| has_result(pair)).map(|pair| pair.call) {
            if let Some(name) = call_key(cx, pairing, call) {
                by_key.entry(name).or_default().push(call);
            }
        }
        let mut count = 0;
        let user_turns = history.messages.list.iter().map(|message| {
            let says = |mut blocks: Range<u32>| blocks.any(|ix| cx.row(ix).kind != Kind::ToolResult);
            let speaks = cx.row(message.row).has(BlockFlags::CONTENT) || says(message.blocks());
            count += u32::from(message.role == Role::User && speaks);
            count
        });
        AnsweredCalls { by_key, user_turns: user_turns.collect() }
    }
}

/// The key that identifies a call; `None` if it has none. Where calls need no ids, two equal ones without an id
/// are two calls.
pub(super) fn call_key(cx: &RuleContext<'_>, pairing: Pairing, call: u32) -> Option<u64> {
    let row = cx.row(call);
    let name = if pairing == Pairing::Counts { row.id } else { row.key };
    (name != 0).then_some(name)
}
