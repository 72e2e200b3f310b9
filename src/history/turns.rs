//! Turns: the shape of a history whose messages hold blocks (Chat, Anthropic, Gemini, Bedrock). A message is a row, its
//! blocks are the rows behind it. There the place decides what answers what: results belong right behind the calls, so
//! turns are put together into steps, and calls and results bound step by step, once for all rules.

use std::collections::HashMap;
use std::ops::Range;

use super::counts;
use super::kind::{Kind, Role};
use super::pairs::NONE;
use super::row::{Flags, Row};

/// A message, and the rows of its blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// The row of the message.
    pub row: u32,
    /// Rows `first..end` are its blocks. A result that is a message of its own is its own block.
    pub first: u32,
    pub end: u32,
    pub role: Role,
}

impl Turn {
    pub fn blocks(&self) -> Range<u32> {
        self.first..self.end
    }
}

/// What the model says without being interrupted, and the turns in which its calls are to be answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Turns of the model.
    pub model: Range<u32>,
    /// The turns right behind it in which results may stand: messages that are results, or the user's.
    pub answers: Range<u32>,
}

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

/// The turns of a history, its steps, and the bonds of the calls and results that have a key.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    pub turns: Vec<Turn>,
    /// In order. Turns in front of the model's first belong to none.
    pub steps: Vec<Step>,
    /// By the row of the call, or of the result where there is none.
    pub bonds: Vec<Bond>,
}

impl Turns {
    /// Empty for a history of items.
    pub fn of(rows: &[Row]) -> Self {
        // What is not an item may stand anywhere in the list, also first.
        if !rows.iter().any(|row| row.kind.is_of_turns()) {
            return Turns::default();
        }
        let turns = turns(rows);
        // Where results are messages of their own, nothing else may stand between them and their calls.
        let apart = rows.iter().any(|row| row.has(Flags::MESSAGE) || row.has(Flags::CALLS_APART));
        let steps = steps(&turns, apart);
        let bonds = match rows.iter().any(|row| row.has(Flags::COUNTED)) {
            true => counts::bonds(rows, &turns, &steps),
            false => bonds(rows, &turns, &steps, apart),
        };
        Turns { turns, steps, bonds }
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// The number of the turn that a row lies in.
    pub fn turn_of(&self, ix: u32) -> Option<u32> {
        let at = self.turns.partition_point(|turn| turn.row <= ix).checked_sub(1)?;
        (ix < self.turns[at].end).then_some(at as u32)
    }

    pub fn turn(&self, number: u32) -> &Turn {
        &self.turns[number as usize]
    }

    /// The step whose model part holds a turn.
    pub fn step_of(&self, turn: u32) -> Option<&Step> {
        let at = self.steps.partition_point(|step| step.model.start <= turn).checked_sub(1)?;
        Some(&self.steps[at]).filter(|step| step.model.contains(&turn))
    }

    /// The step whose answers hold a turn.
    pub fn step_behind(&self, turn: u32) -> Option<&Step> {
        let at = self.steps.partition_point(|step| step.answers.start <= turn).checked_sub(1)?;
        Some(&self.steps[at]).filter(|step| step.answers.contains(&turn))
    }

    /// The rows of the blocks of some turns.
    pub fn rows_of(&self, turns: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        turns.flat_map(|turn| self.turns[turn as usize].blocks())
    }

    /// The bond of a call, or of a result that is not the second one to its call.
    pub fn bond_of(&self, ix: u32) -> Option<&Bond> {
        let own = |bond: &&Bond| (bond.call == ix || bond.output == ix) && bond.state != BondState::Again;
        // They stand in the order of their first rows.
        let at = self.bonds.partition_point(|bond| bond.call.min(bond.output) < ix);
        let here = self.bonds[at..].iter().take_while(|bond| bond.call.min(bond.output) == ix).find(own);
        here.or_else(|| self.bonds.iter().find(own))
    }

    /// The result without a key in a call's step, if both are the only ones there.
    pub fn unkeyed_answer(&self, rows: &[Row], call: u32) -> Option<u32> {
        let step = self.step_of(self.turn_of(call)?)?;
        let only = |turns: &Range<u32>, kind: Kind| {
            let mut all = self.rows_of(turns.clone()).filter(|ix| rows[*ix as usize].kind == kind);
            all.next().filter(|ix| all.next().is_none() && rows[*ix as usize].key == 0)
        };
        only(&step.model, Kind::ToolUse).filter(|only| *only == call)?;
        only(&step.answers, Kind::ToolResult)
    }

    /// The row at which the last step begins, if nothing but results stands behind its model part.
    pub(super) fn tail(&self, rows: &[Row]) -> Option<u32> {
        let step = self.steps.last()?;
        let is_last = step.answers.end as usize == self.turns.len();
        let only_results = self.rows_of(step.answers.clone()).all(|ix| rows[ix as usize].kind == Kind::ToolResult);
        let tail = match is_last && only_results {
            true => self.turns[step.model.start as usize].row,
            false => rows.len() as u32,
        };
        Some(tail)
    }
}

fn turns(rows: &[Row]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (ix, row) in rows.iter().enumerate() {
        let ix = ix as u32;
        if row.kind == Kind::Turn {
            turns.push(Turn { row: ix, first: ix + 1, end: ix + 1, role: row.role });
        } else if row.has(Flags::MESSAGE) || turns.is_empty() {
            turns.push(Turn { row: ix, first: ix, end: ix + 1, role: row.role });
        } else if let Some(turn) = turns.last_mut() {
            turn.end = ix + 1;
        }
    }
    turns
}

fn steps(turns: &[Turn], apart: bool) -> Vec<Step> {
    let answers = if apart { Role::Tool } else { Role::User };
    let run = |from: usize, role: Role| turns[from..].iter().take_while(|turn| turn.role == role).count();
    let mut steps = Vec::new();
    let mut at = 0;
    while at < turns.len() {
        let model = match run(at, Role::Assistant) {
            0 => {
                at += 1;
                continue;
            }
            _ if apart => 1,
            n => n,
        };
        let behind = at + model;
        let end = behind + run(behind, answers);
        steps.push(Step { model: at as u32..behind as u32, answers: behind as u32..end as u32 });
        at = behind;
    }
    steps
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
fn bonds(rows: &[Row], turns: &[Turn], steps: &[Step], apart: bool) -> Vec<Bond> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DocId, Place};

    /// `u` and `a` begin messages of user and assistant; a letter with `(` in front is a call, with `)` a result, with
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
                (_, 'u') => (Kind::Turn, Role::User),
                (_, 'a') => (Kind::Turn, Role::Assistant),
                _ => (Kind::Text, Role::None),
            };
            if sign != ' ' && c != '_' {
                row.key = c as u64;
            }
            if sign == '[' {
                row.flags.set(Flags::MESSAGE);
            }
            sign = ' ';
            rows.push(row);
        }
        rows
    }

    fn states(text: &str) -> Vec<BondState> {
        Turns::of(&rows(text)).bonds.iter().map(|bond| bond.state).collect()
    }

    use BondState::{Again, Answered, Far, Open, Orphan};

    #[test]
    fn results_belong_right_behind_their_calls() {
        assert_eq!(states("u. a(x(y u)x)y"), [Answered, Answered]);
        assert_eq!(states("u. a(x(y u)x u)y."), [Answered, Answered]);
        assert_eq!(states("u. a(x u. a. u)x"), [Far]);
        assert_eq!(states("u. a(x u."), [Open]);
        assert_eq!(states("u)x a(x u.)y"), [Far, Orphan]);
        assert_eq!(states("u. a(x u)x)x"), [Answered, Again]);
        assert_eq!(states("u. a(x u)x a(x u)x"), [Answered, Answered]);
        assert_eq!(states("u. a(x u)x u. a. u)x"), [Answered, Orphan]);
    }

    #[test]
    fn results_that_are_messages_stand_behind_one_message() {
        assert_eq!(states("u a(x(y [x [y"), [Answered, Answered]);
        assert_eq!(states("u a(x u [x"), [Far]);
        assert_eq!(states("u a(x a(y [x [y"), [Far, Answered]);
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
        assert_eq!(states("a(x u. a. u)x a(x u."), [Far, Open]);
    }
}
