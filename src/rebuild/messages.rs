//! Sessions of Claude Code and Kode: their blocks are Anthropic's own, so a history becomes the messages that were sent.
//! What is signed in them stays signed.

use crate::history::{Kind, Role, Row};
use crate::json::{Val, name};
use crate::place::Place;

use super::lifted::See;

/// A message of Anthropic's, made of blocks as they stand.
pub struct Message {
    pub text: Vec<u8>,
    /// Where each stretch of the text was copied from: (offset in the text, offset in the doc).
    pub runs: Vec<(u32, u64)>,
    /// The first of its blocks.
    pub begins: Place,
    pub is_users: bool,
    /// It answers calls of the message before it.
    pub answers: bool,
}

/// The messages of a history: neighbours that one side said are one, and results come first in it.
pub fn messages<'r>(rows: &'r [Row], see: See<'r>) -> impl Iterator<Item = Message> + 'r {
    let turns = rows.chunk_by(|a, b| is_users(a) == is_users(b));
    turns.filter_map(move |turn| message(turn, see))
}

fn is_users(row: &Row) -> bool {
    row.answers_call() || row.role == Role::User
}

fn message(turn: &[Row], see: See<'_>) -> Option<Message> {
    let first = turn.first()?;
    let role = if is_users(first) { "user" } else { "assistant" };
    let mut message = Message {
        is_users: is_users(first),
        answers: turn.iter().any(Row::answers_call),
        text: format!("{{\"role\":\"{role}\",\"content\":[").into_bytes(),
        runs: vec![(0, first.at.start)],
        begins: first.at,
    };
    let mut count = 0;
    let (results, others): (Vec<&Row>, Vec<&Row>) = turn.iter().partition(|row| row.answers_call());
    for row in results.into_iter().chain(others) {
        see(row, &mut |val| {
            // A message whose blocks have rows of their own says nothing else, unless its content is a text.
            let text = val.get(name::content).filter(|content| content.is_string());
            let Some(val) = (if row.kind == Kind::BlockMessage { text } else { Some(val) }) else { return };
            if !is_empty(val) {
                count += 1;
                message.add(val, row.at.start + u64::from(val.start()));
            }
        });
    }
    message.text.extend_from_slice(b"]}");
    (count > 0).then_some(message)
}

/// An empty text says nothing, and no request takes it.
fn is_empty(block: Val<'_>) -> bool {
    let text = if block.is_string() { Some(block) } else { block.get(name::text).filter(|_| is_text(block)) };
    text.and_then(|text| text.as_str()).is_some_and(|text| text.is_empty())
}

fn is_text(block: Val<'_>) -> bool {
    block.get(name::r#type).is_some_and(|kind| kind.is("text"))
}

impl Message {
    /// Adds a block, or a text that stands for one.
    fn add(&mut self, block: Val<'_>, start: u64) {
        if self.text.last() != Some(&b'[') {
            self.text.push(b',');
        }
        self.runs.push((self.text.len() as u32, start));
        if block.is_string() {
            self.text.extend_from_slice(b"{\"type\":\"text\",\"text\":");
            self.runs.push((self.text.len() as u32, start));
        }
        self.text.extend_from_slice(block.raw());
        if block.is_string() {
            // What is put around a text lies where the text does.
            self.runs.push((self.text.len() as u32, start));
            self.text.push(b'}');
        }
    }
}
