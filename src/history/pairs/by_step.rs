//! Pairing of calls in messages, where the position of a result matters: results belong directly after the calls, so
//! calls and results are paired step by step, and the rest across steps.

use std::ops::Range;

use foldhash::HashMap;

use crate::history::kind::Kind;
use crate::history::messages::{MessageSpans, ModelStep};
use crate::history::pairing::Pairing;
use crate::history::row::{Row, nth};

use super::pair::{NONE, Pair, PairState};

/// Calls and results of one key.
#[derive(Default)]
pub(super) struct UnpairedKey {
    /// Calls that no result of their step answers.
    pub open: Vec<u32>,
    /// Results that answer no call of their step.
    pub loose: Vec<u32>,
}

pub(super) fn pair(rows: &[Row], messages: &MessageSpans, pairing: Pairing) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut seen = vec![false; rows.len()];
    let mut keyed: HashMap<u64, UnpairedKey> = HashMap::default();
    let rows_in = |range: &Range<u32>| messages.rows_of(range.clone()).collect::<Vec<u32>>();
    let has = |ix: u32, kind: Kind| nth(rows, ix).kind == kind && nth(rows, ix).key != 0;
    let parts_in = |range: &Range<u32>| {
        let is_part = |ix: &u32| matches!(nth(rows, *ix).kind, Kind::ToolUse | Kind::ToolResult);
        messages.rows_of(range.clone()).filter(is_part)
    };
    let answers = |call: u32, output: u32| {
        has(call, Kind::ToolUse) && has(output, Kind::ToolResult) && nth(rows, call).key == nth(rows, output).key
    };
    let step_calls = |step: &ModelStep, call: u32| parts_in(&step.model).next() == Some(call);
    for step in &messages.steps {
        // Most steps have no call, or one that is answered.
        let mut parts = parts_in(&step.model).chain(parts_in(&step.answers));
        match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => continue,
            (Some(call), Some(output), None) if answers(call, output) && step_calls(step, call) => {
                mark_seen(&mut seen, output);
                pairs.push(Pair::answered(call, output));
                continue;
            }
            _ => {}
        }
        let model = rows_in(&step.model);
        // Calls with the same key in a step are answered in order.
        let mut calls: HashMap<u64, Vec<(u32, u32)>> = HashMap::default();
        for &ix in model.iter().filter(|ix| has(**ix, Kind::ToolUse)) {
            calls.entry(nth(rows, ix).key).or_default().push((ix, NONE));
        }
        let answers = rows_in(&step.answers);
        for &ix in model.iter().chain(&answers).filter(|ix| has(**ix, Kind::ToolResult)) {
            let Some(calls) = calls.get_mut(&nth(rows, ix).key) else { continue };
            mark_seen(&mut seen, ix);
            // Those that are answered come first.
            let open = calls.partition_point(|(_, output)| *output != NONE);
            match calls.get_mut(open) {
                Some(call) => {
                    call.1 = ix;
                    pairs.push(Pair::answered(call.0, ix));
                }
                None => {
                    let (call, twin) = calls.last().copied().unwrap_or((NONE, NONE));
                    pairs.push(Pair { call, output: ix, twin, state: PairState::DuplicateOutput });
                }
            }
        }
        if pairing == Pairing::Replies {
            let unnamed = answers.iter().copied().filter(|ix| nth(rows, *ix).kind == Kind::ToolResult);
            pair_by_order(&mut calls, unnamed.filter(|ix| nth(rows, *ix).key == 0).collect(), &mut pairs);
        }
        for (key, calls) in calls {
            let open = calls.iter().filter(|(_, output)| *output == NONE).map(|(call, _)| *call);
            keyed.entry(key).or_default().open.extend(open);
        }
    }
    for (ix, (row, seen)) in rows.iter().zip(seen).enumerate() {
        if row.kind == Kind::ToolResult && row.key != 0 && !seen {
            keyed.entry(row.key).or_default().loose.push(ix as u32);
        }
    }
    pair_across_steps(keyed, &mut pairs);
    pairs
}

/// Marks a row as seen.
pub(super) fn mark_seen(seen: &mut [bool], ix: u32) {
    if let Some(seen) = seen.get_mut(ix as usize) {
        *seen = true;
    }
}

/// Pairs the results of a step that have no key with its open calls, in order, unless there are too few: then it is not
/// known which call has none.
fn pair_by_order(calls: &mut HashMap<u64, Vec<(u32, u32)>>, unnamed: Vec<u32>, pairs: &mut Vec<Pair>) {
    let mut open: Vec<&mut (u32, u32)> =
        calls.values_mut().flatten().filter(|(_, output)| *output == NONE).collect();
    if unnamed.len() < open.len() {
        return;
    }
    open.sort_unstable_by_key(|(call, _)| *call);
    for (call, output) in open.into_iter().zip(unnamed) {
        call.1 = output;
        pairs.push(Pair::answered(call.0, output));
    }
}

/// Pairs the rest of each key across steps.
pub(super) fn pair_across_steps(keyed: HashMap<u64, UnpairedKey>, pairs: &mut Vec<Pair>) {
    for UnpairedKey { mut open, loose } in keyed.into_values() {
        open.sort_unstable();
        let mut loose = loose.into_iter().peekable();
        // The real result of an open call comes before the next call that uses its key again.
        for (n, &call) in open.iter().enumerate() {
            let next = open.get(n + 1).copied().unwrap_or(NONE);
            pairs.push(match loose.next_if(|result| *result < next) {
                Some(output) => Pair::new(call, output, PairState::Misplaced),
                None => Pair::open(call),
            });
            while n + 1 < open.len()
                && let Some(output) = loose.next_if(|result| *result < next)
            {
                pairs.push(Pair::orphan(output));
            }
        }
        pairs.extend(loose.map(Pair::orphan));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::flags::BlockFlags;
    use crate::history::kind::Role;
    use crate::history::pairs;
    use crate::place::{DocId, Place};

    /// `u` and `a` begin messages of user and assistant; a letter after `(` is a call, after `)` a result, after
    /// `[` a result that is a message of its own, `_` one without a key; `.` is text.
    fn rows(text: &str) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut sign = ' ';
        for c in text.chars().filter(|c| *c != ' ') {
            let mut row = Row::of_place(Place::new(DocId(0), rows.len() as u64, 1), 0);
            (row.kind, row.role) = match (sign, c) {
                (_, '(' | ')' | '[') => {
                    sign = c;
                    continue;
                }
                ('(', _) => (Kind::ToolUse, Role::None),
                (')', _) => (Kind::ToolResult, Role::None),
                ('[', _) => (Kind::ToolResult, Role::Tool),
                (_, 'u') => (Kind::BlockMessage, Role::User),
                (_, 'a') => (Kind::BlockMessage, Role::Assistant),
                _ => (Kind::Text, Role::None),
            };
            if sign != ' ' && c != '_' {
                row.key = c as u64;
            }
            if sign == '[' {
                row.set(BlockFlags::MESSAGE);
            }
            sign = ' ';
            rows.push(row);
        }
        rows
    }

    fn states(text: &str) -> Vec<PairState> {
        let rows = rows(text);
        let pairing = if text.contains('[') { Pairing::Replies } else { Pairing::Blocks };
        let pairs = pairs::pair(&rows, &MessageSpans::of(&rows, pairing), pairing);
        pairs.iter().map(|pair| pair.state).collect()
    }

    use PairState::{Answered, DuplicateOutput, Misplaced, Open, Orphan};

    #[test]
    fn results_belong_directly_after_their_calls() {
        assert_eq!(states("u. a(x(y u)x)y"), [Answered, Answered]);
        assert_eq!(states("u. a(x(y u)x u)y."), [Answered, Answered]);
        assert_eq!(states("u. a(x u. a. u)x"), [Misplaced]);
        assert_eq!(states("u. a(x u."), [Open]);
        assert_eq!(states("u)x a(x u.)y"), [Misplaced, Orphan]);
        assert_eq!(states("u. a(x u)x)x"), [Answered, DuplicateOutput]);
        assert_eq!(states("u. a(x u)x a(x u)x"), [Answered, Answered]);
        assert_eq!(states("u. a(x u)x u. a. u)x"), [Answered, Orphan]);
    }

    #[test]
    fn results_that_are_messages_come_after_one_message() {
        assert_eq!(states("u a(x(y [x [y"), [Answered, Answered]);
        assert_eq!(states("u a(x u [x"), [Misplaced]);
        assert_eq!(states("u a(x a(y [x [y"), [Misplaced, Answered]);
        assert_eq!(states("u [x"), [Orphan]);
    }

    #[test]
    fn results_without_a_key_answer_in_order_unless_they_are_too_few() {
        assert_eq!(states("u a(x [_"), [Answered]);
        assert_eq!(states("u a(x(y [_ [_"), [Answered, Answered]);
        assert_eq!(states("u a(x(y [y [_"), [Answered, Answered]);
        assert_eq!(states("u a(x [_ [_"), [Answered]);
        assert_eq!(states("u a(x(y [_"), [Open, Open]);
        assert_eq!(states("u a(x u [_"), [Open]);
        assert_eq!(states("u. a(x u)_"), [Open]);
    }

    #[test]
    fn a_key_used_again_keeps_its_own_result() {
        assert_eq!(states("a(x u. a(x u. u)x"), [Open, Answered]);
        assert_eq!(states("a(x u. a. u)x a(x u."), [Misplaced, Open]);
    }
}
