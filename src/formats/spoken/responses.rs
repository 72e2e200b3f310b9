//! Turns as items of the Responses API. Thoughts with one id are one item; without an id and a blob they are not sent.

use crate::format::translate::Say;
use crate::history::Role;
use crate::json::pieces::Pieced;
use crate::message::LossKind;
use crate::place::Place;

use super::turn::{Id, Media, Says, Thought, Turn, Unwritten, message, typed, with};

pub(super) fn written(turns: Vec<Turn>, lost: &mut Unwritten) -> Vec<Say> {
    let mut out = Vec::new();
    for turn in turns {
        let (record, at) = (turn.record, turn.at);
        let items = match turn.role {
            Role::Assistant | Role::Tool => items(turn, lost),
            role => {
                let role = if role == Role::User { "user" } else { "system" };
                let parts: Vec<Pieced> =
                    turn.says.into_iter().filter_map(|says| part(says, record, lost)).collect();
                match parts.is_empty() {
                    true => Vec::new(),
                    false => vec![message(role, at).with("content", Pieced::list_of(parts, at))],
                }
            }
        };
        out.extend(items.into_iter().map(|item| Say::Message(item, record)));
    }
    out
}

fn part(says: Says, record: u32, lost: &mut Unwritten) -> Option<Pieced> {
    match says {
        Says::Text { text, at, .. } => Some(typed("input_text", at).with("text", text)),
        Says::Media(media) => Some(media_part(media)),
        other => {
            lost.part(&other, record);
            None
        }
    }
}

fn media_part(media: Media) -> Pieced {
    let at = media.at;
    match (media.is_image, media.data.is_some()) {
        (true, _) => typed("input_image", at).with("image_url", media.url),
        (false, true) => {
            let name = media.name.unwrap_or_else(|| Pieced::text("file", at));
            typed("input_file", at).with("filename", name).with("file_data", media.url)
        }
        (false, false) => typed("input_file", at).with("file_url", media.url),
    }
}

fn items(turn: Turn, lost: &mut Unwritten) -> Vec<Pieced> {
    let record = turn.record;
    let mut out = Vec::new();
    let mut thought: Option<Reasoning> = None;
    for says in turn.says {
        if let Says::Thought(one) = says {
            match &mut thought {
                Some(open) if open.goes_on(&one) => open.add(one),
                _ => out.extend(thought.replace(Reasoning::of(one)).and_then(|done| done.item(record, lost))),
            }
            continue;
        }
        out.extend(thought.take().and_then(|done| done.item(record, lost)));
        out.push(match says {
            Says::Text { text, id, at } => {
                let part =
                    typed("output_text", at).with("text", text).with("annotations", Pieced::fixed("[]", at));
                let item = typed("message", at).with("role", Pieced::text("assistant", at));
                let item = with_id(item, id).with("status", Pieced::text("completed", at));
                item.with("content", Pieced::list_of(vec![part], at))
            }
            Says::Call(call) => with_id(typed("function_call", call.at), call.item)
                .with("call_id", call.id.piece)
                .with("name", call.name)
                .with("arguments", call.input.spelling()),
            Says::Result { call, output, failed, at } => {
                if failed {
                    lost.add(LossKind::ERROR_MARK, at, record);
                }
                typed("function_call_output", at).with("call_id", call.piece).with("output", output)
            }
            Says::Item(item) => item,
            Says::Thought(_) | Says::Media(_) => {
                lost.part(&says, record);
                continue;
            }
        });
    }
    out.extend(thought.and_then(|done| done.item(record, lost)));
    out
}

/// A reasoning item, as far as its thoughts are known.
struct Reasoning {
    id: Option<Id>,
    blob: Option<Pieced>,
    summary: Vec<Pieced>,
    at: Place,
}

impl Reasoning {
    fn of(thought: Thought) -> Reasoning {
        let at = thought.at;
        let mut reasoning = Reasoning { id: None, blob: None, summary: Vec::new(), at };
        reasoning.add(thought);
        reasoning
    }

    fn goes_on(&self, thought: &Thought) -> bool {
        let same = |own: &Id| thought.id.as_ref().is_some_and(|id| id.text == own.text);
        self.id.as_ref().is_some_and(same)
    }

    fn add(&mut self, thought: Thought) {
        self.id = thought.id.or(self.id.take());
        self.blob = thought.blob.or(self.blob.take());
        if thought.text.says() {
            self.summary.push(typed("summary_text", thought.at).with("text", thought.text));
        }
    }

    fn item(self, record: u32, lost: &mut Unwritten) -> Option<Pieced> {
        if self.id.is_none() && self.blob.is_none() {
            if !self.summary.is_empty() {
                lost.add(LossKind::REASONING, self.at, record);
            }
            return None;
        }
        let item = with_id(typed("reasoning", self.at), self.id);
        let item = item.with("summary", Pieced::list_of(self.summary, self.at));
        Some(with(item, "encrypted_content", self.blob))
    }
}

fn with_id(item: Pieced, id: Option<Id>) -> Pieced {
    with(item, "id", id.map(|id| id.piece))
}
