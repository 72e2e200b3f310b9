//! The rows of a history that its agent sends: without the calls and outputs that it leaves out.

use crate::format::agent::{ResumeEffect, SessionDefect};
use crate::formats::agents::resume::AgentAct;
use crate::history::{History, Kind, NONE, Pair, PairState, Row};

/// The rows that the agent sends; `None` if it sends all of them.
pub(super) fn sent_rows(history: &History, acts: &[AgentAct]) -> Option<Vec<Row>> {
    let does = |defect, effect| acts.iter().any(|own| own.act.defect == defect && own.act.effect == effect);
    let drops_calls = does(SessionDefect::UnansweredCall, ResumeEffect::LeavesOut);
    let drops_outputs = does(SessionDefect::OrphanOutput, ResumeEffect::LeavesOut);
    let sends_once = does(SessionDefect::DuplicateOutput, ResumeEffect::SendsOnce);
    let left_out = |pair: &Pair| match pair.state {
        PairState::Open if drops_calls => Some(pair.call),
        PairState::Orphan if drops_outputs => Some(pair.output),
        PairState::DuplicateOutput if sends_once => Some(pair.output),
        _ => None,
    };
    let mut is_sent = vec![true; history.rows.len()];
    let mut drop = |ix: u32| {
        let row = is_sent.get_mut(ix as usize).filter(|_| ix != NONE);
        row.is_some_and(|sent| std::mem::replace(sent, false))
    };
    let dropped = history.pairs.iter().filter_map(left_out).filter(|ix| drop(*ix)).count();
    if dropped == 0 {
        return None;
    }
    // Nothing is left of a message without blocks.
    for message in history.messages.list.iter().filter(|message| !message.blocks().is_empty()) {
        let is_empty = message.blocks().all(|ix| is_sent.get(ix as usize) == Some(&false));
        if is_empty && history.row(message.row).kind == Kind::BlockMessage {
            is_sent.get_mut(message.row as usize).into_iter().for_each(|sent| *sent = false);
        }
    }
    Some(history.rows.iter().zip(is_sent).filter(|(_, sent)| *sent).map(|(row, _)| *row).collect())
}
