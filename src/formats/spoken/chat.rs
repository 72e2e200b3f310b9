//! Turns as messages of Chat Completions. What the model thought goes along as `reasoning_content`.

use crate::format::translate::Say;
use crate::history::Role;
use crate::json::pieces::Pieced;
use crate::message::LossKind;
use crate::place::Place;

use super::turn::{Media, Says, Turn, Unwritten, message, typed, with};

pub(super) fn written(turns: Vec<Turn>, lost: &mut Unwritten) -> Vec<Say> {
    let mut out = Vec::new();
    for turn in turns {
        let record = turn.record;
        let messages: Vec<Pieced> = match turn.role {
            Role::Assistant => answer(turn, lost).into_iter().collect(),
            Role::Tool => turn.says.into_iter().filter_map(|says| reply(says, record, lost)).collect(),
            _ => input(turn, lost).into_iter().collect(),
        };
        out.extend(messages.into_iter().map(|message| Say::Message(message, record)));
    }
    out
}

fn input(turn: Turn, lost: &mut Unwritten) -> Option<Pieced> {
    let role = if turn.role == Role::User { "user" } else { "system" };
    let (at, record) = (turn.at, turn.record);
    let parts: Vec<(Pieced, bool)> = turn.says.into_iter().filter_map(|says| part(says, record, lost)).collect();
    Some(message(role, at).with("content", content(parts, at)?))
}

/// A part of a message, and whether it is the text of one.
fn part(says: Says, record: u32, lost: &mut Unwritten) -> Option<(Pieced, bool)> {
    match says {
        Says::Text { text, .. } => Some((text, true)),
        Says::Media(media) => Some((media_part(media), false)),
        other => {
            lost.part(&other, record);
            None
        }
    }
}

/// A text alone is a string, anything else a list of parts.
fn content(mut parts: Vec<(Pieced, bool)>, at: Place) -> Option<Pieced> {
    if let [(_, true)] = parts.as_slice() {
        return parts.pop().map(|(text, _)| text);
    }
    let part = |(part, is_text): (Pieced, bool)| match is_text {
        true => typed("text", part.place()).with("text", part),
        false => part,
    };
    (!parts.is_empty()).then(|| Pieced::list_of(parts.into_iter().map(part).collect(), at))
}

fn media_part(media: Media) -> Pieced {
    let at = media.at;
    match media.is_image {
        true => typed("image_url", at).with("image_url", Pieced::object(at).with("url", media.url)),
        false => {
            let file = with(Pieced::object(at), "filename", media.name).with("file_data", media.url);
            typed("file", at).with("file", file)
        }
    }
}

fn answer(turn: Turn, lost: &mut Unwritten) -> Option<Pieced> {
    let (at, record) = (turn.at, turn.record);
    let (mut texts, mut thoughts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for says in turn.says {
        match says {
            Says::Text { text, .. } => texts.push((text, true)),
            Says::Thought(thought) => thoughts.push(thought),
            Says::Call(call) => {
                let function = Pieced::object(call.at).with("name", call.name);
                let function = function.with("arguments", call.input.spelling());
                calls.push(
                    Pieced::object(call.at)
                        .with("id", call.id.piece)
                        .with("type", Pieced::text("function", call.at))
                        .with("function", function),
                );
            }
            other => lost.part(&other, record),
        }
    }
    if texts.is_empty() && calls.is_empty() {
        thoughts.iter().for_each(|thought| lost.add(LossKind::REASONING, thought.at, record));
        return None;
    }
    let content = content(texts, at).unwrap_or_else(|| Pieced::fixed("null", at));
    let answer = message("assistant", at).with("content", content);
    let thoughts: Vec<Pieced> = thoughts.into_iter().map(|thought| thought.text).filter(Pieced::says).collect();
    let thought = (!thoughts.is_empty()).then(|| Pieced::joined(thoughts, "\n", at));
    let answer = with(answer, "reasoning_content", thought);
    Some(with(answer, "tool_calls", (!calls.is_empty()).then(|| Pieced::list_of(calls, at))))
}

fn reply(says: Says, record: u32, lost: &mut Unwritten) -> Option<Pieced> {
    let Says::Result { call, output, failed, at } = says else {
        lost.part(&says, record);
        return None;
    };
    if failed {
        lost.add(LossKind::ERROR_MARK, at, record);
    }
    Some(message("tool", at).with("tool_call_id", call.piece).with("content", output))
}
