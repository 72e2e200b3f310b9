//! Sessions of Claude Code and Kode: their blocks are Anthropic's own, and become the messages that the agent sends.
//! Adjacent blocks of one side are one turn, with results first; empty texts are left out.

use crate::dialect::{Body, BodyShape};
use crate::dialects::anthropic;
use crate::format::{FormatInfo, HistoryScope};
use crate::history::{Kind, Role, Row};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::write::JsonWriter;
use crate::message::{Losses, Message, Opaque, OpaqueKind, Part, PartKind, RawJson, Text};

/// Reads a row's value, and passes it to a function.
pub type RowReader<'s> = &'s mut dyn FnMut(&Row, &mut dyn FnMut(Val<'_>));

/// True if a format stores sessions.
pub fn is_session(info: &FormatInfo) -> bool {
    info.histories == HistoryScope::Session
}

/// The rows of a session, turn by turn.
pub fn turns(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| is_users(a) == is_users(b))
}

fn is_users(row: &Row) -> bool {
    row.answers_call() || row.role == Role::User
}

/// The messages of a turn: results of tools, and the rest. If `copies`, blocks are kept unchanged.
pub fn messages(turn: &[Row], copies: bool, losses: &mut Losses, see: RowReader<'_>) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let (results, others): (Vec<&Row>, Vec<&Row>) = turn.iter().partition(|row| row.answers_call());
    for row in results.into_iter().chain(others) {
        see(row, &mut |val| {
            // A message whose blocks have rows of their own has no other content, unless that is a text.
            let text = val.get(name::content).filter(|content| content.is_string());
            let Some(val) = (if row.kind == Kind::BlockMessage { text } else { Some(val) }) else { return };
            if is_empty(val) {
                return;
            }
            let base = RecordBase::new(row.at.doc, row.at.start);
            let part = part(Body { val, base, embedded: false, shape: BodyShape::Item }, copies, losses);
            let role = match part.kind {
                PartKind::Result(_) => Role::Tool,
                _ if copies && row.answers_call() => Role::Tool,
                _ if is_users(row) => Role::User,
                _ => Role::Assistant,
            };
            match messages.last_mut().filter(|last| last.role == role) {
                Some(last) => last.parts.push(part),
                None => {
                    let at = part.at;
                    messages.push(Message { parts: vec![part], ..Message::new(role, at) });
                }
            }
        });
    }
    messages
}

fn part(body: Body<'_>, copies: bool, losses: &mut Losses) -> Part {
    let (val, at) = (body.val, body.at(body.val));
    let text = Text::of_val(val);
    if !copies {
        return match text {
            Some(text) => Part::text(text, at),
            None => anthropic::read_block(&body, val, losses),
        };
    }
    let mut raw = Vec::new();
    let mut w = JsonWriter::new(&mut raw);
    match text {
        Some(text) => w.object(|w| {
            w.key("type").plain("text");
            w.key("text").text(&text);
        }),
        None => w.bytes(val.raw()),
    }
    let copy = Opaque { dialect: anthropic::NAME, kind: OpaqueKind::Unknown, raw: RawJson::new(raw) };
    Part::new(PartKind::Opaque(copy), at)
}

/// True for an empty text, which no request accepts.
fn is_empty(block: Val<'_>) -> bool {
    let is_text = block.get(name::r#type).is_some_and(|kind| kind.is("text"));
    let text = if block.is_string() { Some(block) } else { block.get(name::text).filter(|_| is_text) };
    text.and_then(|text| text.as_str()).is_some_and(|text| text.is_empty())
}
