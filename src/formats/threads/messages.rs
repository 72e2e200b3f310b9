//! Messages as those of Chat: a role, a content, calls beside it, and replies that name their call.

use crate::format::translate::Stored;
use crate::history::Role;
use crate::json::{Val, name};
use crate::message::Text;

use super::builder::ThreadBuilder;
use super::parts;

/// Members of an answer that hold what the model thought; the first that is there counts.
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning"];

/// Members that hold the calls of an answer.
const CALLS: [&str; 2] = ["tool_calls", "toolCalls"];

impl ThreadBuilder {
    /// Adds a message. One with a role that no API has is not sent.
    pub fn message(&mut self, message: Val<'_>, from: &Stored<'_>) {
        let Some(role) = message.get(name::role).and_then(|role| role.text()) else { return };
        // Results in a row are one message.
        if !matches!(role.as_ref(), b"tool" | b"function") {
            self.begin();
        }
        let content = message.get(name::content).or_else(|| message.get(name::parts));
        match role.as_ref() {
            b"user" | b"human" => self.content(Role::User, content, from),
            b"system" | b"developer" => self.content(Role::System, content, from),
            b"assistant" | b"ai" | b"model" => self.answer(message, from),
            // Some put the results in parts, which name their calls.
            b"tool" | b"function" if message.get(name::content).is_none() => {
                self.content(Role::User, content, from)
            }
            b"tool" | b"function" => self.result(message, content, from),
            other => self.lose(
                format!("a message with the role `{}`", String::from_utf8_lossy(other)),
                message,
                from,
                "it has no place in a request",
            ),
        }
    }

    /// Adds an answer of the model's: what it thought, what it said, and its calls.
    pub fn answer(&mut self, message: Val<'_>, from: &Stored<'_>) {
        let thought = THOUGHTS
            .iter()
            .find_map(|key| message.get(key).filter(|own| own.as_str().is_some_and(|text| !text.is_empty())));
        if let Some(thought) = thought {
            self.thought(thought, from);
        }
        let content = message.get(name::content).or_else(|| message.get(name::parts));
        self.content(Role::Assistant, content.filter(|content| !content.is_null()), from);
        let calls = CALLS.iter().find_map(|key| message.get(key).filter(Val::is_array));
        for call in calls.into_iter().flat_map(|calls| calls.elements()) {
            match call.get(name::function).filter(Val::is_object) {
                Some(function) => {
                    let Some(name) = function.get(name::name) else { continue };
                    let id = ["id", "call_id"].iter().find_map(|key| call.get(key));
                    let Some(name) = Text::copied(name, from.base) else { continue };
                    self.call_of(Role::Assistant, id, name, function.get(name::arguments), call, from);
                }
                None => self.call(Role::Assistant, call, from),
            }
        }
    }

    /// Adds what the model thought, of which there is only the text.
    pub fn thought(&mut self, text: Val<'_>, from: &Stored<'_>) {
        let at = from.base.of(text);
        self.push(Role::Assistant, parts::thinking(Text::copied(text, from.base), None, at), from);
    }
}
