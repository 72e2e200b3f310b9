//! Turns and steps: a message that holds blocks is a turn; what the model says without being interrupted, with the turns
//! that may answer its calls, is a step.

use std::ops::Range;

use super::flags::BlockFlags;
use super::kind::{Kind, Role};
use super::row::Row;

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

pub(super) fn turns(rows: &[Row]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (ix, row) in rows.iter().enumerate() {
        let ix = ix as u32;
        if row.kind == Kind::Turn {
            turns.push(Turn { row: ix, first: ix + 1, end: ix + 1, role: row.role });
        } else if row.has(BlockFlags::MESSAGE) || turns.is_empty() {
            turns.push(Turn { row: ix, first: ix, end: ix + 1, role: row.role });
        } else if let Some(turn) = turns.last_mut() {
            turn.end = ix + 1;
        }
    }
    turns
}

/// `apart`: results are messages of their own.
pub(super) fn steps(turns: &[Turn], apart: bool) -> Vec<Step> {
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
