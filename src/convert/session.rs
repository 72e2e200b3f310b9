//! Sessions of Claude Code and Kode: their blocks are Anthropic's own, and become the messages that the agent sends.
//! Neighbours that one side said are one turn, results come first in it, and empty texts are left out.

use crate::dialect::{Body, Shape};
use crate::dialects::anthropic;
use crate::format::{FormatInfo, Histories};
use crate::history::{Kind, Role, Row};
use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::message::write::Writer;
use crate::message::{Losses, Message, Opaque, OpaqueKind, Part, PartKind, Raw, Text};

/// Hands the value of a row to what reads it.
pub type See<'s> = &'s mut dyn FnMut(&Row, &mut dyn FnMut(Val<'_>));

/// Whether a format is one of sessions.
pub fn is_session(info: &FormatInfo) -> bool {
    info.histories == Histories::Session
}

/// The rows of a session, turn by turn.
pub fn turns(rows: &[Row]) -> impl Iterator<Item = &[Row]> {
    rows.chunk_by(|a, b| is_users(a) == is_users(b))
}

fn is_users(row: &Row) -> bool {
    row.answers_call() || row.role == Role::User
}

/// The messages of a turn: results of tools, and what was said. Blocks that are copied stay as they stand.
pub fn messages(turn: &[Row], copies: bool, losses: &mut Losses, see: See<'_>) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let (results, others): (Vec<&Row>, Vec<&Row>) = turn.iter().partition(|row| row.answers_call());
    for row in results.into_iter().chain(others) {
        see(row, &mut |val| {
            // A message whose blocks have rows of their own says nothing else, unless its content is a text.
            let text = val.get(name::content).filter(|content| content.is_string());
            let Some(val) = (if row.kind == Kind::BlockMessage { text } else { Some(val) }) else { return };
            if is_empty(val) {
                return;
            }
            let base = Base::new(row.at.doc, row.at.start);
            let part = part(Body { val, base, embedded: false, shape: Shape::Item }, copies, losses);
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
    let mut w = Writer::new(&mut raw);
    match text {
        Some(text) => w.object(|w| {
            w.key("type").plain("text");
            w.key("text").text(&text);
        }),
        None => w.bytes(val.raw()),
    }
    let copy = Opaque { dialect: anthropic::NAME, kind: OpaqueKind::Unknown, raw: Raw::new(raw) };
    Part::new(PartKind::Opaque(copy), at)
}

/// An empty text says nothing, and no request takes it.
fn is_empty(block: Val<'_>) -> bool {
    let is_text = block.get(name::r#type).is_some_and(|kind| kind.is("text"));
    let text = if block.is_string() { Some(block) } else { block.get(name::text).filter(|_| is_text) };
    text.and_then(|text| text.as_str()).is_some_and(|text| text.is_empty())
}
