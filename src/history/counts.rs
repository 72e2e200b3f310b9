//! Bonds where calls need no ids (Gemini): a step's results answer its calls if there are as many of them. Which one
//! answers which is told by ids where there are some, then by names, then by their order.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use super::bonds::{Bond, BondState, Keyed, far};
use super::kind::Kind;
use super::pairs::NONE;
use super::row::Row;
use super::steps::{Step, Turn};

/// Rows carry the name as their key.
pub(super) fn bonds(rows: &[Row], turns: &[Turn], steps: &[Step]) -> Vec<Bond> {
    let row = |ix: u32| &rows[ix as usize];
    let of = |range: &Range<u32>, kind: Kind| -> Vec<u32> {
        let turns = &turns[range.start as usize..range.end as usize];
        turns.iter().flat_map(Turn::blocks).filter(|ix| row(*ix).kind == kind).collect()
    };
    let mut bonds = Vec::new();
    let mut seen = vec![false; rows.len()];
    // By id, and by name.
    let mut known: HashMap<u64, Keyed> = HashMap::new();
    let mut keyed: HashMap<u64, Keyed> = HashMap::new();
    let mut open = Vec::new();
    for step in steps {
        let mut left =
            Left { calls: of(&step.model, Kind::ToolUse), results: of(&step.answers, Kind::ToolResult) };
        let id = |ix: u32| Some(row(ix).id).filter(|id| *id != 0);
        let name = |ix: u32| Some(row(ix).key).filter(|key| *key != 0);
        left.bind(id, &mut bonds);
        left.bind(name, &mut bonds);
        left.bind(|_| Some(0), &mut bonds);
        open.extend(left.calls);
    }
    for bond in &bonds {
        seen[bond.output as usize] = true;
    }
    let is_loose = |(ix, row): &(usize, &Row)| row.kind == Kind::ToolResult && !seen[*ix];
    let loose: Vec<u32> = rows.iter().enumerate().filter(is_loose).map(|(ix, _)| ix as u32).collect();
    // An id tells more than a name.
    for &call in open.iter().filter(|call| row(**call).id != 0) {
        known.entry(row(call).id).or_default().open.push(call);
    }
    for &output in loose.iter().filter(|output| row(**output).id != 0) {
        known.entry(row(output).id).or_default().loose.push(output);
    }
    let mut distant = Vec::new();
    far(known, &mut distant);
    distant.retain(|bond| bond.state == BondState::Far);
    let bound: HashSet<u32> = distant.iter().flat_map(|bond| [bond.call, bond.output]).collect();
    for call in open.into_iter().filter(|call| !bound.contains(call)) {
        keyed.entry(row(call).key).or_default().open.push(call);
    }
    for output in loose.into_iter().filter(|output| !bound.contains(output)) {
        keyed.entry(row(output).key).or_default().loose.push(output);
    }
    bonds.append(&mut distant);
    far(keyed, &mut distant);
    for bond in distant {
        let ids = |bond: &Bond| [row(bond.call).id, row(bond.output).id];
        // Two ids that differ, or no name at all, prove that they are no pair.
        let strangers = bond.state == BondState::Far
            && (row(bond.call).key == 0 || matches!(ids(&bond), [a, b] if a != b && a != 0 && b != 0));
        if strangers {
            bonds.push(Bond { output: NONE, state: BondState::Open, ..bond });
            bonds.push(Bond { call: NONE, state: BondState::Orphan, ..bond });
        } else {
            bonds.push(bond);
        }
    }
    bonds.sort_unstable_by_key(|bond| (bond.call.min(bond.output), bond.output));
    bonds
}

/// Calls and results of a step that are not bound yet.
struct Left {
    calls: Vec<u32>,
    results: Vec<u32>,
}

impl Left {
    /// Binds calls and results of which this says the same, in order.
    fn bind(&mut self, says: impl Fn(u32) -> Option<u64>, bonds: &mut Vec<Bond>) {
        let mut waiting: HashMap<u64, VecDeque<u32>> = HashMap::new();
        for &call in &self.calls {
            if let Some(said) = says(call) {
                waiting.entry(said).or_default().push_back(call);
            }
        }
        let before = bonds.len();
        self.results.retain(|&output| {
            let call = says(output).and_then(|said| waiting.get_mut(&said)?.pop_front());
            bonds.extend(call.map(|call| Bond { call, output, twin: NONE, state: BondState::Answered }));
            call.is_none()
        });
        let mut bound: Vec<u32> = bonds[before..].iter().map(|bond| bond.call).collect();
        bound.sort_unstable();
        self.calls.retain(|call| bound.binary_search(call).is_err());
    }
}

#[cfg(test)]
mod tests {
    use super::super::flags::BlockFlags;
    use super::super::kind::Role;
    use super::super::turns::Turns;
    use super::*;
    use crate::place::{DocId, Place};

    /// `u` and `m` begin turns of user and model, `(` and `)` stand in front of the name of a call and of a result, a
    /// digit behind it is an id.
    fn states(text: &str) -> Vec<BondState> {
        let mut rows: Vec<Row> = Vec::new();
        let mut sign = ' ';
        for c in text.chars().filter(|c| *c != ' ') {
            if c.is_ascii_digit() {
                rows.last_mut().expect("a row in front").id = c as u64;
                continue;
            }
            let mut row = Row::of_place(Place::new(DocId(0), rows.len() as u64, 1), 0);
            (row.kind, row.role) = match (std::mem::replace(&mut sign, ' '), c) {
                (_, '(' | ')') => {
                    sign = c;
                    continue;
                }
                ('(', _) => (Kind::ToolUse, Role::None),
                (')', _) => (Kind::ToolResult, Role::None),
                (_, 'u') => (Kind::Turn, Role::User),
                (_, 'm') => (Kind::Turn, Role::Assistant),
                _ => (Kind::Text, Role::None),
            };
            if matches!(row.kind, Kind::ToolUse | Kind::ToolResult) {
                row.set(BlockFlags::COUNTED);
                row.key = if c == '_' { 0 } else { c as u64 };
            }
            rows.push(row);
        }
        Turns::of(&rows).bonds.iter().map(|bond| bond.state).collect()
    }

    use BondState::{Answered, Far, Open, Orphan};

    #[test]
    fn as_many_results_as_calls_answer_them() {
        assert_eq!(states("u. m(f(g u)g)f"), [Answered, Answered]);
        assert_eq!(states("u. m(f(f u)f)f"), [Answered, Answered]);
        assert_eq!(states("u. m(f m(g u)f u)g"), [Answered, Answered]);
        assert_eq!(states("u. m(f u)_"), [Answered]);
        assert_eq!(states("u. m(f u)x"), [Answered]);
        assert_eq!(states("u. m(f(f u)f"), [Answered, Open]);
        assert_eq!(states("u. m(f u)f)f"), [Answered, Orphan]);
        assert_eq!(states("u. m(f u."), [Open]);
        assert_eq!(states("u)f"), [Orphan]);
    }

    #[test]
    fn names_and_ids_tell_which_result_is_whose() {
        assert_eq!(states("u. m(f u. m. u)f"), [Far]);
        assert_eq!(states("u)f m(f u."), [Far]);
        assert_eq!(states("u. m(f u. m. u)g"), [Open, Orphan]);
        assert_eq!(states("u. m(f1 u. m. u)f2"), [Open, Orphan]);
        assert_eq!(states("u. m(f1 u. m. u)f1"), [Far]);
        assert_eq!(states("u. m(f1 u. m. u)g1"), [Far]);
        assert_eq!(states("u. m(f1 u. m(f2 u. m. u)f1)f2"), [Far, Far]);
        assert_eq!(states("u. m(f m)f u."), [Far]);
        assert_eq!(states("u. m(_ u. m. u)_"), [Open, Orphan]);
    }
}
