//! Messages like those of Chat: a role, a content, a list of calls, and replies that name their call.

use crate::format::translate::ParsedRecord;
use crate::history::Role;
use crate::json::{Val, name};
use crate::message::Text;

use super::builder::ThreadBuilder;
use super::parts;

/// Members of an answer with reasoning. The first that is present is used.
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning"];

/// Members with the calls of an answer. The first that is present is used.
const CALLS: [&str; 2] = ["tool_calls", "toolCalls"];

impl ThreadBuilder {
    /// Adds a message. One with an unknown role is not sent.
    pub fn message(&mut self, message: Val<'_>, from: &ParsedRecord<'_>) {
        let Some(role) = message.get(name::role).and_then(|role| role.text()) else { return };
        // Consecutive results are one message.
        if !matches!(role.as_ref(), b"tool" | b"function") {
            self.begin();
        }
        let content = message.get(name::content).or_else(|| message.get(name::parts));
        match role.as_ref() {
            b"user" | b"human" => self.content(Role::User, content, from),
            b"system" | b"developer" => self.content(Role::System, content, from),
            b"assistant" | b"ai" | b"model" => self.answer(message, from),
            // Some stores put results in parts, which name their calls.
            b"tool" | b"function" if message.get(name::content).is_none() => {
                self.content(Role::User, content, from)
            }
            b"tool" | b"function" => self.result(message, content, from),
            other => self.report_loss(
                format!("a message with the role `{}`", String::from_utf8_lossy(other)),
                message,
                from,
                "requests have no such role",
            ),
        }
    }

    /// Adds an answer of the model: its reasoning, its content, and its calls.
    pub fn answer(&mut self, message: Val<'_>, from: &ParsedRecord<'_>) {
        let thought = THOUGHTS
            .iter()
            .find_map(|key| message.get(key).filter(|own| own.as_str().is_some_and(|text| !text.is_empty())));
        if let Some(thought) = thought {
            self.push_reasoning(thought, from);
        }
        let content = message.get(name::content).or_else(|| message.get(name::parts));
        self.content(Role::Assistant, content.filter(|content| !content.is_null()), from);
        self.calls(message, from);
    }

    /// Adds the calls that an answer lists beside its content.
    pub fn calls(&mut self, message: Val<'_>, from: &ParsedRecord<'_>) {
        let calls = CALLS.iter().find_map(|key| message.get(key).filter(Val::is_array));
        for call in calls.into_iter().flat_map(|calls| calls.elements()) {
            match call.get(name::function).filter(Val::is_object) {
                Some(function) => {
                    let Some(name) = function.get(name::name) else { continue };
                    let id = ["id", "call_id"].iter().find_map(|key| call.get(key));
                    let Some(name) = Text::copied(name, from.base) else { continue };
                    self.push_call(Role::Assistant, id, name, function.get(name::arguments), call, from);
                }
                None => self.call(Role::Assistant, call, from),
            }
        }
    }

    /// Adds reasoning of which there is only the text.
    pub fn push_reasoning(&mut self, text: Val<'_>, from: &ParsedRecord<'_>) {
        let at = from.base.of(text);
        self.push(Role::Assistant, parts::thinking(Text::copied(text, from.base), None, at), from);
    }
}
