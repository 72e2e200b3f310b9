//! Pairing by key within a history, never by position; order only decides between several calls with one key. It takes
//! one sort, so 20,000 open calls cost as much as 20,000 answered ones.

use crate::history::flags::{Flags, ItemFlags};
use crate::history::kind::Family;
use crate::history::row::{Row, nth};

use super::pair::{NONE, Pair, PairState};

pub(super) fn pair(rows: &[Row]) -> Vec<Pair> {
    let mut keyed: Vec<(u64, u32)> = Vec::new();
    let mut anonymous: Vec<u32> = Vec::new();
    for (ix, row) in rows.iter().enumerate() {
        if row.kind.family().is_none() || row.has(Flags::SERVER_RUN) {
            continue;
        }
        if row.key != 0 {
            keyed.push((row.key, ix as u32));
        } else if row.has(ItemFlags::ANONYMOUS) {
            anonymous.push(ix as u32);
        }
    }
    let sorted = keyed.is_sorted();
    if !sorted {
        keyed.sort_unstable();
    }
    let mut pairs = Vec::with_capacity(keyed.len() / 2 + 1);
    for same in keyed.chunk_by(|a, b| a.0 == b.0) {
        match same {
            // Nearly all cases: a call and its output.
            [(_, call), (_, output)] if answers(rows, *call, *output) => {
                pairs.push(Pair::answered(*call, *output));
            }
            _ => pair_one_key(rows, same, &mut pairs),
        }
    }
    pair_anonymous(rows, &anonymous, &mut pairs);
    pairs
}

fn family(rows: &[Row], ix: u32) -> Option<Family> {
    nth(rows, ix).kind.family()
}

fn answers(rows: &[Row], call: u32, output: u32) -> bool {
    nth(rows, call).kind.is_call()
        && nth(rows, output).kind.is_output()
        && family(rows, call) == family(rows, output)
}

/// All rows with one key, in order.
fn pair_one_key(rows: &[Row], same: &[(u64, u32)], out: &mut Vec<Pair>) {
    let mut open: Vec<u32> = Vec::new();
    let mut waiting: Vec<u32> = Vec::new();
    let mut answered: Vec<(u32, u32)> = Vec::new();
    let mut again: Vec<(u32, u32)> = Vec::new();
    for &(_, ix) in same {
        if nth(rows, ix).kind.is_call() {
            match open.iter().find(|call| family(rows, **call) == family(rows, ix)) {
                Some(&first) => again.push((ix, first)),
                None => open.push(ix),
            }
        } else if let Some(n) = open.iter().position(|call| answers(rows, *call, ix)) {
            answered.push((open.remove(n), ix));
        } else {
            waiting.push(ix);
        }
    }
    // The rest of one family in the wrong order is a pair if it is one call and one output.
    let mut reversed = Vec::new();
    open.retain(|&call| match waiting.iter().position(|output| answers(rows, call, *output)) {
        Some(n) => {
            reversed.push((call, waiting.remove(n)));
            false
        }
        None => true,
    });
    let tangled = reversed.len() > 1 || !reversed.is_empty() && same.len() > 2;
    let mut pairs_by_family: Vec<(Option<Family>, u32, u32)> = Vec::new();
    for (call, output) in answered {
        let of = family(rows, call);
        match pairs_by_family.iter().find(|(family, ..)| *family == of) {
            Some(&(_, twin, _)) => out.push(Pair { call, output, twin, state: PairState::DuplicatePair }),
            None => {
                pairs_by_family.push((of, call, output));
                out.push(Pair::answered(call, output));
            }
        }
    }
    for (call, output) in reversed {
        let state = if tangled { PairState::Tangled } else { PairState::OutputFirst };
        out.push(Pair::new(call, output, state));
        pairs_by_family.push((family(rows, call), call, output));
    }
    for (call, twin) in again {
        out.push(Pair { call, output: NONE, twin, state: PairState::DuplicateCall });
    }
    for call in open {
        // A call with the key of an answered one: by that key the server finds an output for it.
        let state = match pairs_by_family.iter().find(|(of, ..)| *of == family(rows, call)) {
            Some(&(_, twin, _)) => (twin, PairState::DuplicateCall),
            None if !waiting.is_empty() => {
                let output = waiting.remove(0);
                out.push(Pair::new(call, output, PairState::Mismatched));
                continue;
            }
            None => (NONE, PairState::Open),
        };
        out.push(Pair { call, output: NONE, twin: state.0, state: state.1 });
    }
    for output in waiting {
        let answered = pairs_by_family.iter().find(|(of, ..)| *of == family(rows, output));
        let (call, twin, state) = match answered {
            Some(&(_, call, twin)) => (call, twin, PairState::DuplicateOutput),
            None => (NONE, NONE, PairState::Orphan),
        };
        out.push(Pair { call, output, twin, state });
    }
}

/// Tool searches that the client ran without a call_id pair by order: an output answers the latest open call.
fn pair_anonymous(rows: &[Row], anonymous: &[u32], out: &mut Vec<Pair>) {
    let mut open = Vec::new();
    for &ix in anonymous {
        if nth(rows, ix).kind.is_call() {
            open.push(ix);
        } else if let Some(call) = open.pop() {
            out.push(Pair::answered(call, ix));
        } else {
            out.push(Pair::orphan(ix));
        }
    }
    for call in open {
        out.push(Pair::open(call));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::kind::Kind;
    use crate::place::{DocId, Place};

    fn rows(items: &[(Kind, u64)]) -> Vec<Row> {
        let row = |n: usize, kind, key| {
            let mut row = Row::of_place(Place::new(DocId(0), n as u64, 1), 0);
            (row.kind, row.item_kind, row.key) = (kind, kind, key);
            row
        };
        items.iter().enumerate().map(|(n, (kind, key))| row(n, *kind, *key)).collect()
    }

    fn sorted(rows: &[Row]) -> Vec<(PairState, u32, u32)> {
        let mut pairs = pair(rows);
        pairs.sort_unstable_by_key(Pair::order);
        pairs.iter().map(|p| (p.state, p.call, p.output)).collect()
    }

    fn states(items: &[(Kind, u64)]) -> Vec<(PairState, u32, u32)> {
        sorted(&rows(items))
    }

    const CALL: Kind = Kind::FunctionCall;
    const OUT: Kind = Kind::FunctionCallOutput;

    #[test]
    fn every_shape_has_a_state() {
        use PairState::*;
        assert_eq!(states(&[(CALL, 1), (CALL, 2), (OUT, 2), (OUT, 1)]), [(Answered, 0, 3), (Answered, 1, 2)]);
        assert_eq!(states(&[(CALL, 1)]), [(Open, 0, NONE)]);
        assert_eq!(states(&[(OUT, 1), (OUT, 1)]), [(Orphan, NONE, 0), (Orphan, NONE, 1)]);
        assert_eq!(states(&[(OUT, 1), (CALL, 1)]), [(OutputFirst, 1, 0)]);
        assert_eq!(states(&[(CALL, 1), (CALL, 1), (OUT, 1)]), [(Answered, 0, 2), (DuplicateCall, 1, NONE)]);
        assert_eq!(states(&[(CALL, 1), (OUT, 1), (OUT, 1)]), [(Answered, 0, 1), (DuplicateOutput, 0, 2)]);
        assert_eq!(states(&[(OUT, 1), (CALL, 1), (OUT, 1)]), [(DuplicateOutput, 1, 0), (Answered, 1, 2)]);
        assert_eq!(states(&[(CALL, 1), (OUT, 1), (CALL, 1), (OUT, 1)]), [(Answered, 0, 1), (DuplicatePair, 2, 3)]);
        assert_eq!(states(&[(CALL, 1), (OUT, 1), (CALL, 1)]), [(Answered, 0, 1), (DuplicateCall, 2, NONE)]);
        assert_eq!(states(&[(CALL, 1), (Kind::CustomToolCallOutput, 1)]), [(Mismatched, 0, 1)]);
        assert_eq!(
            states(&[(OUT, 1), (CALL, 1), (OUT, 2), (CALL, 2)]),
            [(OutputFirst, 1, 0), (OutputFirst, 3, 2)]
        );
    }

    #[test]
    fn searches_without_ids_pair_with_the_latest() {
        let mut search =
            rows(&[(Kind::ToolSearchCall, 0), (Kind::ToolSearchCall, 0), (Kind::ToolSearchOutput, 0)]);
        for row in &mut search {
            row.set(ItemFlags::ANONYMOUS);
        }
        assert_eq!(sorted(&search), [(PairState::Open, 0, NONE), (PairState::Answered, 1, 2)]);
    }
}
