//! Turns: a message of the user, and everything up to the next one. Messages of the user in a row are one turn, because
//! clients insert texts before and after what the user wrote. Messages of the model before the first one of the user belong
//! to the first turn.

use super::flags::{BlockFlags, Flags};
use super::kind::{Class, Kind, Role};
use super::row::Row;

/// What a message does in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnPart {
    /// A message of the user.
    Prompt,
    /// A message of the model with calls that the client must answer.
    Call,
    /// Results of calls, possibly with user text.
    Result,
    /// A message of the model without such calls, or the result of a tool that its provider ran.
    Answer,
    /// A message of the model without an answer: reasoning alone, or nothing.
    Reasoning,
}

/// The messages of consecutive rows, each with its blocks. An item of the Responses API is a message by itself.
pub fn messages(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    let continues =
        |row: &Row| row.kind.is_block_kind() && row.kind != Kind::BlockMessage && !row.has(BlockFlags::MESSAGE);
    rows.chunk_by(move |_, next| continues(next))
}

impl TurnPart {
    /// The part of a message; `None` for instructions, and for texts that a client inserted.
    pub fn of(message: &[Row]) -> Option<TurnPart> {
        let first = message.first()?;
        if message.iter().any(Row::answers_call) {
            return Some(TurnPart::Result);
        }
        if message.iter().any(Row::calls_client) {
            return Some(TurnPart::Call);
        }
        let is_message = first.kind.is_block_kind() || first.item_kind.class() == Class::Message;
        match first.role {
            Role::User if is_message => (!first.has(Flags::INSERTED)).then_some(TurnPart::Prompt),
            _ if message.iter().any(answers_user) => Some(TurnPart::Answer),
            role => (role == Role::Assistant || first.is_reasoning()).then_some(TurnPart::Reasoning),
        }
    }
}

/// True if a message contains text of the user, possibly next to results.
pub fn has_user_text(message: &[Row]) -> bool {
    let is_text = |row: &Row| match row.kind {
        Kind::BlockMessage => row.has(BlockFlags::CONTENT),
        Kind::Text => !row.has(BlockFlags::EMPTY),
        kind => kind.class() == Class::Message,
    };
    message.iter().any(|row| row.role == Role::User && !row.has(Flags::INSERTED) && is_text(row))
}

/// True if a row is content of an answer.
fn answers_user(row: &Row) -> bool {
    match row.kind {
        // In logs of other systems these may be reasoning.
        Kind::BlockMessage | Kind::Block if row.has(Flags::FOREIGN) => false,
        Kind::BlockMessage => row.role == Role::Assistant && row.has(BlockFlags::CONTENT),
        Kind::Text => row.role == Role::Assistant && !row.has(BlockFlags::EMPTY),
        Kind::Media | Kind::Block => row.role == Role::Assistant,
        Kind::ServerResult => true,
        _ => row.is_model_made() && !row.is_reasoning(),
    }
}

/// A message that was added to a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TurnMessage {
    /// `None` if it changes nothing.
    pub part: Option<TurnPart>,
    /// True if it begins another turn.
    pub begins: bool,
}

/// The state of a turn after some of its messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TurnProgress {
    /// The part of the last message that has one.
    pub last: Option<TurnPart>,
    /// True once there was a message of the user.
    has_prompt: bool,
    /// Number of calls without a result.
    open_calls: usize,
}

impl TurnProgress {
    /// Adds a message.
    pub fn add(&mut self, message: &[Row]) -> TurnMessage {
        let Some(mut part) = TurnPart::of(message) else { return TurnMessage::default() };
        let (calls, results) = count_calls(message);
        if part == TurnPart::Result && self.open_calls == 0 {
            // A result without a call asks for no answer.
            match has_user_text(message) {
                true => part = TurnPart::Prompt,
                false if self.last == Some(TurnPart::Answer) => return TurnMessage::default(),
                false => {}
            }
        }
        if part == TurnPart::Reasoning && self.last != Some(TurnPart::Prompt) {
            return TurnMessage::default();
        }
        // Some APIs take the images of a result in a message of their own.
        if part == TurnPart::Prompt && self.last == Some(TurnPart::Result) && is_media_only(message) {
            return TurnMessage::default();
        }
        let is_prompt = part == TurnPart::Prompt;
        let begins = is_prompt && self.has_prompt && self.last != Some(TurnPart::Prompt);
        self.open_calls = if begins { 0 } else { (self.open_calls + calls).saturating_sub(results) };
        self.has_prompt |= is_prompt;
        self.last = Some(part);
        TurnMessage { part: Some(part), begins }
    }

    /// True if the turn ends in an answer of the model: not in a message of the user, a call, or a result.
    pub fn is_answered(&self) -> bool {
        self.last == Some(TurnPart::Answer)
    }
}

/// Counts turns, message by message.
#[derive(Default)]
pub struct TurnCounter {
    progress: TurnProgress,
    /// Number of turns so far. The message with which a turn begins is its prompt.
    pub count: u32,
}

impl TurnCounter {
    /// Adds a message.
    pub fn add(&mut self, message: &[Row]) {
        let is_first = !self.progress.has_prompt;
        let TurnMessage { part, begins } = self.progress.add(message);
        if part == Some(TurnPart::Prompt) && (is_first || begins) {
            self.count += 1;
        }
    }

    /// Number of turns in the rows of a history.
    pub fn count(rows: &[Row]) -> u32 {
        let mut turns = TurnCounter::default();
        messages(rows).for_each(|message| turns.add(message));
        turns.count
    }
}

/// The number of calls that the client must answer, and of results.
fn count_calls(message: &[Row]) -> (usize, usize) {
    let count = |is: fn(&Row) -> bool| message.iter().filter(|row| is(row)).count();
    (count(Row::calls_client), count(Row::answers_call))
}

fn is_media_only(message: &[Row]) -> bool {
    match message.split_first() {
        Some((first, blocks)) => {
            !first.has(BlockFlags::CONTENT)
                && !blocks.is_empty()
                && blocks.iter().all(|row| row.kind == Kind::Media)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{DocId, Place};

    /// A message by its role (`u`, `a`, `s`) and blocks: text, call, result, image, thinking; `i` is an inserted text.
    fn message(text: &str) -> Vec<Row> {
        let role = match text.as_bytes().first() {
            Some(b'u' | b'i') => Role::User,
            Some(b'a') => Role::Assistant,
            _ => Role::System,
        };
        let row = |kind| {
            let mut row = Row::of_place(Place::new(DocId(0), 0, 1), 0);
            (row.kind, row.item_kind, row.role) = (kind, kind, role);
            row
        };
        let mut rows = vec![row(Kind::BlockMessage)];
        if text.starts_with('i') {
            rows[0].set(Flags::INSERTED);
        }
        rows.extend(text.chars().skip(1).map(|block| match block {
            't' => row(Kind::Text),
            'c' => row(Kind::ToolUse),
            'r' => row(Kind::ToolResult),
            'm' => row(Kind::Media),
            _ => row(Kind::Thinking),
        }));
        rows
    }

    /// The number of turns, and whether the last one is answered.
    fn turns(text: &str) -> (usize, bool) {
        let rows: Vec<Row> = text.split(' ').flat_map(message).collect();
        let mut progress = TurnProgress::default();
        let begun = messages(&rows).filter(|message| progress.add(message).begins).count();
        (begun + 1, progress.is_answered())
    }

    #[test]
    fn a_turn_ends_at_the_next_message_of_the_user() {
        let cases = [
            ("ut at ut at", (2, true)),
            ("st ut ut at", (1, true)),
            ("at ut at", (1, true)),
            ("ut ac ur at", (1, true)),
            ("ut ac ur", (1, false)),
            ("ut atc", (1, false)),
            ("ut ac at", (1, true)),
            ("ut a.", (1, false)),
            ("ut a. ut at", (2, true)),
            ("ut at a.", (1, true)),
            ("ut at ut", (2, false)),
            ("ut ac urt at", (1, true)),
            ("ut ac ur um at", (1, true)),
            ("ut at um at", (2, true)),
            ("ut at it", (1, true)),
            ("ut ac ur it", (1, false)),
            ("ut at ur", (1, true)),
            ("ut ur ut at", (2, true)),
            ("ut at urt", (2, false)),
            ("ut ac at ur", (1, false)),
            ("ut at it ut at", (2, true)),
        ];
        for (text, expected) in cases {
            assert_eq!(turns(text), expected, "{text}");
        }
    }
}
