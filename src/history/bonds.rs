//! Bonds: which result answers which call where messages hold blocks. There the place decides: results belong right
//! behind the calls, so calls and results are bound step by step, and what is left across steps.

use std::collections::HashMap;
use std::ops::Range;

use super::kind::Kind;
use super::pairs::NONE;
use super::row::Row;
use super::steps::{Step, Turn};

/// How a call and a result are bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BondState {
    /// The result stands in the call's own step. One without a key is bound by its place.
    Answered,
    /// The result stands elsewhere.
    Far,
    /// A call without a result.
    Open,
    /// A result without a call.
    Orphan,
    /// A result to a call that another result (`twin`) answers.
    Again,
}

/// A call, a result, or both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bond {
    pub call: u32,
    pub output: u32,
    /// The other result to the same call.
    pub twin: u32,
    pub state: BondState,
}

/// Calls and results of one key.
#[derive(Default)]
pub(super) struct Keyed {
    /// Calls that no result of their step answers.
    pub open: Vec<u32>,
    /// Results that answer no call of their step.
    pub loose: Vec<u32>,
}

/// `apart`: results are messages of their own. Some servers then pair by order what carries no key.
pub(super) fn bonds(rows: &[Row], turns: &[Turn], steps: &[Step], apart: bool) -> Vec<Bond> {
    let mut bonds = Vec::new();
    let mut seen = vec![false; rows.len()];
    let mut keyed: HashMap<u64, Keyed> = HashMap::new();
    let rows_in = |range: &Range<u32>| {
        let (start, end) = (range.start as usize, range.end as usize);
        turns[start..end].iter().flat_map(Turn::blocks).collect::<Vec<u32>>()
    };
    let has = |ix: u32, kind: Kind| rows[ix as usize].kind == kind && rows[ix as usize].key != 0;
    for step in steps {
        let model = rows_in(&step.model);
        // A key that is called twice in a step is answered in order.
        let mut calls: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        for &ix in model.iter().filter(|ix| has(**ix, Kind::ToolUse)) {
            calls.entry(rows[ix as usize].key).or_default().push((ix, NONE));
        }
        let answers = rows_in(&step.answers);
        for &ix in model.iter().chain(&answers).filter(|ix| has(**ix, Kind::ToolResult)) {
            let Some(calls) = calls.get_mut(&rows[ix as usize].key) else { continue };
            seen[ix as usize] = true;
            match calls.iter_mut().find(|(_, output)| *output == NONE) {
                Some(call) => {
                    call.1 = ix;
                    bonds.push(Bond { call: call.0, output: ix, twin: NONE, state: BondState::Answered });
                }
                None => {
                    let (call, twin) = calls.last().copied().unwrap_or((NONE, NONE));
                    bonds.push(Bond { call, output: ix, twin, state: BondState::Again });
                }
            }
        }
        if apart {
            let unnamed = answers.iter().copied().filter(|ix| rows[*ix as usize].kind == Kind::ToolResult);
            by_order(&mut calls, unnamed.filter(|ix| rows[*ix as usize].key == 0).collect(), &mut bonds);
        }
        for (key, calls) in calls {
            let open = calls.iter().filter(|(_, output)| *output == NONE).map(|(call, _)| *call);
            keyed.entry(key).or_default().open.extend(open);
        }
    }
    for (ix, row) in rows.iter().enumerate() {
        if row.kind == Kind::ToolResult && row.key != 0 && !seen[ix] {
            keyed.entry(row.key).or_default().loose.push(ix as u32);
        }
    }
    far(keyed, &mut bonds);
    bonds.sort_unstable_by_key(|bond| (bond.call.min(bond.output), bond.output));
    bonds
}

/// Binds a step's results without a key to its open calls, in order, unless they are too few: then nothing says which
/// call has none.
fn by_order(calls: &mut HashMap<u64, Vec<(u32, u32)>>, unnamed: Vec<u32>, bonds: &mut Vec<Bond>) {
    let mut open: Vec<&mut (u32, u32)> =
        calls.values_mut().flatten().filter(|(_, output)| *output == NONE).collect();
    if unnamed.len() < open.len() {
        return;
    }
    open.sort_unstable_by_key(|(call, _)| *call);
    for (call, output) in open.into_iter().zip(unnamed) {
        call.1 = output;
        bonds.push(Bond { call: call.0, output, twin: NONE, state: BondState::Answered });
    }
}

/// Binds what is left of each key across steps.
pub(super) fn far(keyed: HashMap<u64, Keyed>, bonds: &mut Vec<Bond>) {
    for Keyed { mut open, loose } in keyed.into_values() {
        open.sort_unstable();
        let mut loose = loose.into_iter().peekable();
        // The real result of an open call stands before the next call that uses its key again.
        for (n, &call) in open.iter().enumerate() {
            let next = open.get(n + 1).copied().unwrap_or(NONE);
            let bond = match loose.next_if(|result| *result < next) {
                Some(output) => Bond { call, output, twin: NONE, state: BondState::Far },
                None => Bond { call, output: NONE, twin: NONE, state: BondState::Open },
            };
            bonds.push(bond);
            while n + 1 < open.len()
                && let Some(output) = loose.next_if(|result| *result < next)
            {
                bonds.push(Bond { call: NONE, output, twin: NONE, state: BondState::Orphan });
            }
        }
        let rest = loose.map(|output| Bond { call: NONE, output, twin: NONE, state: BondState::Orphan });
        bonds.extend(rest);
    }
}
