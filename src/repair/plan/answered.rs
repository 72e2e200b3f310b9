//! What tells a doubled call from one that was made again.

use std::collections::HashMap;
use std::ops::Range;

use crate::history::{BlockFlags, Kind, Pair, PairState, Pairing, Role};
use crate::rule::Cx;

/// The calls that have a result, and when.
pub(super) struct Answered {
    /// By what calls are told from others by, in order; wherever the result is.
    pub by_key: HashMap<u64, Vec<u32>>,
    /// By turn: how often the user has spoken up to it.
    pub spoken: Vec<u32>,
}

impl Answered {
    pub fn of(cx: &Cx<'_>, pairing: Pairing) -> Self {
        let history = cx.history;
        let mut by_key: HashMap<u64, Vec<u32>> = HashMap::new();
        let has_result = |pair: &Pair| matches!(pair.state, PairState::Answered | PairState::Far);
        for call in history.pairs.iter().filter(|pair| has_result(pair)).map(|pair| pair.call) {
            if let Some(name) = name_of(cx, pairing, call) {
                by_key.entry(name).or_default().push(call);
            }
        }
        let mut count = 0;
        let spoken = history.messages.list.iter().map(|message| {
            let says = |mut blocks: Range<u32>| blocks.any(|ix| cx.row(ix).kind != Kind::ToolResult);
            let speaks = cx.row(message.row).has(BlockFlags::CONTENT) || says(message.blocks());
            count += u32::from(message.role == Role::User && speaks);
            count
        });
        Answered { by_key, spoken: spoken.collect() }
    }
}

/// What a call is told from others by. Where calls need no ids, two without one that say the same are two calls.
pub(super) fn name_of(cx: &Cx<'_>, pairing: Pairing, call: u32) -> Option<u64> {
    let row = cx.row(call);
    let name = if pairing == Pairing::Counts { row.id } else { row.key };
    (name != 0).then_some(name)
}
