//! The events of a Copilot CLI session, and what they say.

use crate::format::translate::Stored;
use crate::formats::member::text;
use crate::formats::spoken::{Call, Id, Says, Thought, Turn};
use crate::history::Role;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};
use crate::place::{Edit, Place};

/// The result of a call, and the number of its record.
pub(super) struct Answer {
    says: Says,
    pub at: Place,
    pub record: u32,
}

impl Answer {
    pub fn turn(self) -> Turn {
        Turn { role: Role::Tool, says: vec![self.says], at: self.at, record: self.record }
    }
}

/// The call that started the subagent whose event this is.
pub(super) fn parent(event: Val<'_>) -> Option<Box<str>> {
    let of_data = event.get(name::data).and_then(|data| text(data, "parentToolCallId"));
    of_data.or_else(|| text(event, "agentId"))
}

/// Whether the events of a type say which model the session goes on with.
pub(super) fn names_model(kind: &str) -> bool {
    matches!(kind, "session.start" | "session.resume" | "session.model_change" | "assistant.message")
}

/// What an event says in the conversation, and the ids of the calls in it.
pub(super) fn turn(kind: &str, data: Val<'_>, record: &Stored<'_>) -> Option<(Turn, Vec<Box<str>>)> {
    let base = record.base;
    let (role, says) = match kind {
        "user.message" => {
            let sent = data.get("transformedContent").filter(|own| own.is_string() && !own.is(""));
            (Role::User, said(sent.or_else(|| data.get(name::content)), base).into_iter().collect())
        }
        "system.message" => (Role::System, said(data.get(name::content), base).into_iter().collect()),
        "assistant.message" => (Role::Assistant, answer_parts(data, base)),
        _ => return None,
    };
    let call = |says: &Says| match says {
        Says::Call(call) => Some(call.id.text.clone()),
        _ => None,
    };
    let calls = says.iter().filter_map(call).collect();
    let turn = Turn { role, says, at: base.of(record.val), record: record.number };
    (!turn.says.is_empty()).then_some((turn, calls))
}

fn said(content: Option<Val<'_>>, base: Base<'_>) -> Option<Says> {
    let content = content.filter(|own| own.is_string() && !own.is(""))?;
    Some(Says::Text { text: Pieced::of(content, base), id: None, at: base.of(content) })
}

fn answer_parts(data: Val<'_>, base: Base<'_>) -> Vec<Says> {
    let thought = data.get(name::reasoningText).filter(|own| own.is_string() && !own.is(""));
    let thought = thought.map(|own| {
        let (text, at) = (Pieced::of(own, base), base.of(own));
        Says::Thought(Thought { text, signature: None, redacted: None, id: None, blob: None, at })
    });
    let calls = requests(data).filter_map(|request| {
        let at = base.of(request);
        let arguments = request.get(name::arguments).filter(|own| !own.is_null());
        Some(Says::Call(Call {
            id: Id::of(request.get(name::toolCallId), base)?,
            name: request.get(name::name).map_or_else(|| Pieced::text("", at), |name| Pieced::of(name, base)),
            input: arguments.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, base)),
            item: None,
            at,
        }))
    });
    thought.into_iter().chain(said(data.get(name::content), base)).chain(calls).collect()
}

/// The calls of an answer.
pub(super) fn requests<'v>(data: Val<'v>) -> impl Iterator<Item = Val<'v>> {
    data.get("toolRequests").into_iter().flat_map(|list| list.elements())
}

/// The call that a tool has answered, and what it gave.
pub(super) fn answer(data: Val<'_>, record: &Stored<'_>) -> Option<(Box<str>, Answer)> {
    let (base, at) = (record.base, record.base.of(record.val));
    let call = Id::of(data.get(name::toolCallId), base)?;
    let failed = data.get("success").and_then(|success| success.as_bool()) == Some(false);
    let content = data.at(&["result", "content"]).filter(|own| !own.is_null());
    let error = data.at(&["error", "message"]).filter(|own| own.is_string());
    let output = if failed { error.or(content) } else { content.or(error) };
    let output = output.map_or_else(|| Pieced::text("", at), |own| Pieced::as_text(own, base));
    let id = call.text.clone();
    Some((id, Answer { says: Says::Result { call, output, failed, at }, at, record: record.number }))
}

/// U+2028 and U+2029 in a line, which are legal in JSON, and at which Copilot splits the file all the same.
pub(super) struct Separators(Vec<(Place, &'static str)>);

impl Separators {
    pub fn of(record: &Stored<'_>) -> Separators {
        let (raw, start) = (record.val.raw(), record.val.start());
        let found = memchr::memchr_iter(0xe2, raw).filter_map(|at| {
            let escape = match raw.get(at..at + 3)? {
                b"\xe2\x80\xa8" => "\\u2028",
                b"\xe2\x80\xa9" => "\\u2029",
                _ => return None,
            };
            let from = start + at as u32;
            Some((record.base.place(from, from + 3), escape))
        });
        Separators(found.collect())
    }

    pub fn first(&self) -> Option<&Place> {
        self.0.first().map(|(at, _)| at)
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn edits(&self) -> Vec<Edit> {
        self.0.iter().map(|(at, escape)| Edit::replace(*at, *escape)).collect()
    }
}
