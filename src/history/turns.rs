//! Turns: the shape of a history whose messages hold blocks (Chat, Anthropic, Gemini, Bedrock). A message is a row, its
//! blocks are the rows behind it. There the place decides what answers what: results belong right behind the calls, so
//! turns are put together into steps, and calls and results bound step by step, once for all rules.

use std::ops::Range;

use super::bonds::{self, Bond, BondState};
use super::counts;
use super::kind::Kind;
use super::row::{Flags, Row};
use super::steps::{Step, Turn, steps, turns};

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
            false => bonds::bonds(rows, &turns, &steps, apart),
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
        let answers = &self.turns[step.answers.start as usize..step.answers.end as usize];
        let says = |turn: &Turn| {
            rows[turn.row as usize].kind == Kind::Turn && rows[turn.row as usize].has(Flags::CONTENT)
        };
        let only_results = !answers.iter().any(says)
            && self.rows_of(step.answers.clone()).all(|ix| rows[ix as usize].kind == Kind::ToolResult);
        let tail = match is_last && only_results {
            true => self.turns[step.model.start as usize].row,
            false => rows.len() as u32,
        };
        Some(tail)
    }
}

#[cfg(test)]
mod tests {
    use super::super::kind::Role;
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
