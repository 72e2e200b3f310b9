//! One event, and what it says.

use std::borrow::Cow;

use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::formats::spoken::{Call, Id, Says, Thought};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};
use crate::place::Place;

pub(super) struct Event {
    pub id: Box<str>,
    pub role: Role,
    pub says: Vec<Says>,
    /// The response of the model that it is a part of.
    pub response: Option<Box<str>>,
    pub at: Place,
    pub record: u32,
}

/// A text or a number, as a text.
pub(super) fn as_text(val: Val<'_>) -> Option<Box<str>> {
    let raw = || Cow::Borrowed(val.raw());
    Some(String::from_utf8_lossy(&val.text().unwrap_or_else(raw)).into())
}

impl Event {
    pub fn of(event: Val<'_>, record: &Stored<'_>) -> Option<Event> {
        let telling = Telling { event, base: record.base, at: record.base.of(event) };
        let (role, says, response) = match text(event, "kind") {
            Some(kind) => telling.of_sdk(&kind)?,
            None => telling.of_trajectory()?,
        };
        let id = event.get(name::id).and_then(as_text).unwrap_or_default();
        (!says.is_empty()).then_some(Event { id, role, says, response, at: telling.at, record: record.number })
    }
}

type Said = (Role, Vec<Says>, Option<Box<str>>);

struct Telling<'v> {
    event: Val<'v>,
    base: Base<'v>,
    at: Place,
}

impl Telling<'_> {
    fn of_sdk(&self, kind: &str) -> Option<Said> {
        let event = self.event;
        Some(match kind {
            "SystemPromptEvent" => (Role::System, self.texts(event.get(name::system_prompt)), None),
            "MessageEvent" => {
                let message = event.get("llm_message")?;
                let is_user = message.get(name::role).is_some_and(|role| role.is("user"));
                let role = if is_user { Role::User } else { Role::Assistant };
                let response = text(event, "llm_response_id").filter(|_| !is_user);
                (role, self.texts(message.get(name::content)), response)
            }
            "ActionEvent" => (Role::Assistant, self.action(), text(event, "llm_response_id")),
            "ObservationEvent" => {
                let content = event.at(&["observation", "content"]).or_else(|| event.get("observation"));
                (Role::Tool, self.result(event.get(name::tool_call_id), content, false), None)
            }
            "AgentErrorEvent" => {
                (Role::Tool, self.result(event.get(name::tool_call_id), event.get(name::error), true), None)
            }
            "UserRejectObservation" => {
                let reason = event.get("rejection_reason");
                (Role::Tool, self.result(event.get(name::tool_call_id), reason, true), None)
            }
            "Condensation" | "CondensationSummaryEvent" => {
                (Role::User, self.texts(event.get(name::summary)), None)
            }
            _ => return None,
        })
    }

    /// A text, an object with one, or a list of those.
    fn texts(&self, content: Option<Val<'_>>) -> Vec<Says> {
        let alone = content.filter(|own| !own.is_array());
        let all = alone.into_iter().chain(content.into_iter().flat_map(|list| list.elements()));
        let text = |own: Val<'_>| {
            let text = if own.is_string() { Some(own) } else { own.get(name::text) };
            let text = text.filter(|text| text.is_string() && !text.is(""))?;
            Some(Says::Text { text: Pieced::of(text, self.base), id: None, at: self.base.of(own) })
        };
        all.filter_map(text).collect()
    }

    fn action(&self) -> Vec<Says> {
        let event = self.event;
        let mut says: Vec<Says> =
            event.get("responses_reasoning_item").and_then(|item| self.reasoning(item)).into_iter().collect();
        let blocks = event.get("thinking_blocks").into_iter().flat_map(|blocks| blocks.elements());
        says.extend(blocks.map(|block| self.thinking(block)));
        says.extend(self.texts(event.get(name::thought)));
        says.extend(event.get(name::tool_call).and_then(|call| self.call(call)));
        says
    }

    fn reasoning(&self, item: Val<'_>) -> Option<Says> {
        let at = self.base.of(item);
        let id = Id::of(item.get(name::id), self.base)?;
        let summary = item.get(name::summary).into_iter().flat_map(|list| list.elements());
        let texts: Vec<Pieced> = summary.filter(Val::is_string).map(|text| Pieced::of(text, self.base)).collect();
        let text = if texts.is_empty() { Pieced::text("", at) } else { Pieced::joined(texts, "\n", at) };
        let blob = Id::of(item.get(name::encrypted_content), self.base).map(|blob| blob.piece);
        Some(Says::Thought(Thought { text, signature: None, redacted: None, id: Some(id), blob, at }))
    }

    fn thinking(&self, block: Val<'_>) -> Says {
        let at = self.base.of(block);
        let piece = |key: &str| Id::of(block.get(key), self.base).map(|own| own.piece);
        Says::Thought(Thought {
            text: piece("thinking").unwrap_or_else(|| Pieced::text("", at)),
            signature: piece("signature"),
            redacted: piece("data"),
            id: None,
            blob: None,
            at,
        })
    }

    fn call(&self, call: Val<'_>) -> Option<Says> {
        let at = self.base.of(call);
        let function = call.get(name::function);
        let of = |key: &str| call.get(key).or_else(|| function?.get(key)).filter(|own| !own.is_null());
        Some(Says::Call(Call {
            id: Id::of(call.get(name::id), self.base)?,
            name: Pieced::of(of("name")?, self.base),
            input: of("arguments")
                .map_or_else(|| Pieced::fixed("{}", at), |own| Pieced::unspelled(own, self.base)),
            item: None,
            at,
        }))
    }

    fn result(&self, id: Option<Val<'_>>, content: Option<Val<'_>>, failed: bool) -> Vec<Says> {
        let Some(call) = Id::of(id, self.base) else { return Vec::new() };
        let texts = content.filter(|own| own.is_array()).into_iter().flat_map(|list| list.elements());
        let texts = texts.filter_map(|own| own.get(name::text).filter(|text| text.is_string()));
        let texts: Vec<Pieced> = texts.map(|text| Pieced::of(text, self.base)).collect();
        let output = match (texts.is_empty(), content) {
            (false, _) => Pieced::joined(texts, "\n", self.at),
            (true, Some(own)) => Pieced::as_text(own, self.base),
            (true, None) => Pieced::text("", self.at),
        };
        vec![Says::Result { call, output, failed, at: self.at }]
    }

    /// An event of version 0. Actions carry the whole response of the model.
    fn of_trajectory(&self) -> Option<Said> {
        let event = self.event;
        let metadata = event.get("tool_call_metadata").filter(|own| own.is_object());
        let is_user = event.get(name::source).is_some_and(|source| source.is("user"));
        if event.get("observation").is_some() {
            let id = metadata.and_then(|own| own.get(name::tool_call_id));
            return Some((Role::Tool, self.result(id, event.get(name::content), false), None));
        }
        let content = event.at(&["args", "content"]).or_else(|| event.at(&["args", "thought"]));
        if event.get(name::action).is_some_and(|action| action.is("system")) {
            return Some((Role::System, self.texts(content), None));
        }
        let message = metadata.and_then(|own| own.get("model_response"));
        let response = message.and_then(|own| text(own, "id"));
        let message = message.and_then(|own| own.get(name::choices)?.elements().next()?.get(name::message));
        let Some(message) = message else {
            let role = if is_user { Role::User } else { Role::Assistant };
            let is_said = event.get(name::action).is_some_and(|action| action.is("message"));
            return is_said.then(|| (role, self.texts(content), None));
        };
        let own = metadata.and_then(|own| own.get(name::tool_call_id)).and_then(as_text);
        let mut says = self.texts(message.get(name::content));
        let calls = message.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements());
        let calls = calls.filter(|call| call.get(name::id).and_then(as_text) == own);
        says.extend(calls.filter_map(|call| self.call(call)));
        Some((Role::Assistant, says, response))
    }
}
