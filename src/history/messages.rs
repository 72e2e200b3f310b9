//! Messages: the structure of a history whose messages contain blocks (Chat, Anthropic, Gemini, Bedrock). A message is
//! a row, its blocks are the rows after it. Consecutive model messages, with the messages that may answer their calls,
//! are a step.

use std::ops::Range;

use super::flags::BlockFlags;
use super::kind::{Kind, Role};
use super::pairing::Pairing;
use super::row::{Row, nth};
use super::work_counter;

/// A message, and the rows of its blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageSpan {
    /// The row of the message.
    pub row: u32,
    /// Rows `first..end` are its blocks. A result that is a message is its own block.
    pub first: u32,
    pub end: u32,
    pub role: Role,
}

impl MessageSpan {
    pub fn blocks(&self) -> Range<u32> {
        self.first..self.end
    }
}

/// Consecutive model messages, and the messages in which their calls must be answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelStep {
    /// Messages of the model.
    pub model: Range<u32>,
    /// The messages directly after it that may contain results: messages that are results, or user messages.
    pub answers: Range<u32>,
}

/// The messages of a history and its steps.
#[derive(Clone, Debug, Default)]
pub struct MessageSpans {
    pub list: Vec<MessageSpan>,
    /// In order. Messages before the model's first belong to none.
    pub steps: Vec<ModelStep>,
}

impl MessageSpans {
    /// Empty for a history of items.
    pub fn of(rows: &[Row], pairing: Pairing) -> Self {
        // A value that is not an item may be anywhere in the list, even first.
        if !pairing.is_by_place() || !rows.iter().any(|row| row.kind.is_block_kind()) {
            return MessageSpans::default();
        }
        let list = messages(rows);
        let steps = steps(&list, pairing);
        MessageSpans { list, steps }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of the message that a row is in.
    pub fn number_of(&self, ix: u32) -> Option<u32> {
        let at = self.list.partition_point(|message| message.row <= ix).checked_sub(1)?;
        self.list.get(at).filter(|message| ix < message.end).map(|_| at as u32)
    }

    /// The message that a row is in.
    pub fn of_row(&self, ix: u32) -> Option<&MessageSpan> {
        self.number_of(ix).map(|number| self.get(number))
    }

    #[expect(clippy::indexing_slicing, reason = "messages are looked up by the numbers assigned here")]
    pub fn get(&self, number: u32) -> &MessageSpan {
        &self.list[number as usize]
    }

    /// The step with a message in its model part.
    pub fn step_of(&self, message: u32) -> Option<&ModelStep> {
        let at = self.steps.partition_point(|step| step.model.start <= message).checked_sub(1)?;
        self.steps.get(at).filter(|step| step.model.contains(&message))
    }

    /// The step with a message in its answers.
    pub fn step_answered_in(&self, message: u32) -> Option<&ModelStep> {
        let at = self.steps.partition_point(|step| step.answers.start <= message).checked_sub(1)?;
        self.steps.get(at).filter(|step| step.answers.contains(&message))
    }

    /// The rows of the blocks of some messages.
    pub fn rows_of(&self, numbers: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        numbers.flat_map(|number| self.get(number).blocks())
    }

    /// The result without a key in the step of a call without one, if both are the only ones of their kind there.
    pub fn unkeyed_answer(&self, rows: &[Row], call: u32) -> Option<u32> {
        let step = self.step_of(self.number_of(call)?)?;
        let only = |numbers: &Range<u32>, kind: Kind| {
            let is_such = |row: &Row| row.kind == kind && row.key == 0;
            let mut all = self.rows_of(numbers.clone()).filter(|ix| is_such(nth(rows, *ix)));
            all.next().filter(|_| all.next().is_none())
        };
        only(&step.model, Kind::ToolUse).filter(|only| *only == call)?;
        only(&step.answers, Kind::ToolResult)
    }

    /// The row at which the last step begins, if only results come after its model part.
    pub(super) fn tail(&self, rows: &[Row]) -> Option<u32> {
        let step = self.steps.last()?;
        let is_last = step.answers.end as usize == self.list.len();
        let says = |number: u32| {
            let row = nth(rows, self.get(number).row);
            row.kind == Kind::BlockMessage && row.has(BlockFlags::CONTENT)
        };
        let only_results = !step.answers.clone().any(says)
            && self.rows_of(step.answers.clone()).all(|ix| nth(rows, ix).kind == Kind::ToolResult);
        let tail = match is_last && only_results {
            true => self.last_response(rows, step).row,
            false => rows.len() as u32,
        };
        Some(tail)
    }
}

impl MessageSpans {
    /// The message with which the last response of a step begins. Where messages have no ids, a step is one response.
    fn last_response(&self, rows: &[Row], step: &ModelStep) -> &MessageSpan {
        let id = |number: &u32| nth(rows, self.get(*number).row).id;
        let last = step.model.end - 1;
        let mut same = step.model.clone().rev().take_while(|number| id(number) == id(&last));
        let first = if id(&last) == 0 { step.model.start } else { same.by_ref().last().unwrap_or(last) };
        self.get(first)
    }
}

fn messages(rows: &[Row]) -> Vec<MessageSpan> {
    let is_first = |row: &Row| row.kind == Kind::BlockMessage || row.has(BlockFlags::MESSAGE);
    let count = rows.iter().enumerate().filter(|(ix, row)| *ix == 0 || is_first(row)).count();
    let mut list: Vec<MessageSpan> = Vec::with_capacity(count);
    for (ix, row) in rows.iter().enumerate() {
        let ix = ix as u32;
        if row.kind == Kind::BlockMessage {
            list.push(MessageSpan { row: ix, first: ix + 1, end: ix + 1, role: row.role });
        } else if is_first(row) || list.is_empty() {
            list.push(MessageSpan { row: ix, first: ix, end: ix + 1, role: row.role });
        } else if let Some(message) = list.last_mut() {
            message.end = ix + 1;
        }
    }
    list
}

/// If results are messages, nothing else may come between them and the message with their calls.
fn steps(list: &[MessageSpan], pairing: Pairing) -> Vec<ModelStep> {
    let replies = pairing == Pairing::Replies;
    let answers = if replies { Role::Tool } else { Role::User };
    let is_of = |message: &MessageSpan, role: Role| {
        work_counter::count();
        message.role == role
    };
    let run = |from: usize, role: Role| list.iter().skip(from).take_while(|message| is_of(message, role)).count();
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(first) = list.get(at) {
        if !is_of(first, Role::Assistant) {
            at += 1;
            continue;
        }
        // Only the run that is a step is counted: there may be as many messages of the model as there are messages.
        let model = if replies { 1 } else { run(at, Role::Assistant) };
        let after = at + model;
        let end = after + run(after, answers);
        steps.push(ModelStep { model: at as u32..after as u32, answers: after as u32..end as u32 });
        at = after;
    }
    steps.shrink_to_fit();
    steps
}
