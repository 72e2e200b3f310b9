//! A stored message, translated into what the CLI sends for it when the session is resumed.

use crate::format::translate::ParsedRecord;
use crate::formats::member::text;
use crate::formats::threads::parts;
use crate::history::Role;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::write::JsonWriter;
use crate::message::{Message, Part, RawJson, ReasoningProvider, Text};
use crate::place::Place;

/// Prefixes of user texts that are not sent: commands, and context that the CLI inserts.
const UNSENT_PREFIXES: [&[u8]; 4] = [b"/", b"?", b"<session_context>", b"<hook_context>"];

/// A stored message, and the messages that are sent for it.
pub struct GeminiMessage {
    pub at: Place,
    pub record: u32,
    /// True for a user message that the CLI does not send.
    pub is_unsent: bool,
    pub model: Option<Box<str>>,
    pub messages: Vec<Message>,
}

impl GeminiMessage {
    pub fn of(val: Val<'_>, record: &ParsedRecord<'_>) -> GeminiMessage {
        let (base, at) = (record.base, record.base.of(val));
        let is = |name: &str| val.get(name::r#type).is_some_and(|kind| kind.is(name));
        let content = val.get(name::content);
        let is_unsent = is("user") && !is_sent(content);
        let steps = match () {
            () if is("gemini") => vec![
                (Role::Assistant, answer(val, base)),
                (Role::Tool, tool_calls(val).flat_map(|call| results(call, base)).collect()),
            ],
            () if is("user") && !is_unsent => vec![(Role::User, content_parts(content, base))],
            () => Vec::new(),
        };
        let steps = steps.into_iter().filter(|(_, all)| !all.is_empty());
        let model = val.get(name::model).filter(|_| is("gemini")).and_then(|model| model.text());
        GeminiMessage {
            at,
            record: record.number,
            is_unsent,
            model: model.map(|model| String::from_utf8_lossy(&model).into()),
            messages: steps.map(|(role, all)| parts::message(role, all, at, record.number)).collect(),
        }
    }
}

/// The calls of a message, with their results.
pub fn tool_calls<'v>(message: Val<'v>) -> impl Iterator<Item = Val<'v>> {
    let list = message.get("toolCalls").filter(Val::is_array);
    list.into_iter().flat_map(|list| list.elements()).filter(Val::is_object)
}

/// True if a call has a result. An empty text is none.
pub fn has_result(call: Val<'_>) -> bool {
    call.get(name::result).is_some_and(|result| match result {
        result if result.is_array() => result.count() > 0,
        result => result.is_object() || result.is_string() && !result.is(""),
    })
}

/// True if the content of a user message is sent.
pub fn is_sent(content: Option<Val<'_>>) -> bool {
    let Some(content) = content else { return false };
    let all: Vec<Val<'_>> = if content.is_array() { content.elements().collect() } else { vec![content] };
    let mut text_bytes = Vec::new();
    for part in all {
        let text = if part.is_string() { part.text() } else { part.get(name::text).and_then(|text| text.text()) };
        match text {
            Some(text) => text_bytes.extend_from_slice(&text),
            // A part that is not a text counts as content.
            None if part.is_object() && part.count() > 0 => text_bytes.push(b'['),
            None => {}
        }
    }
    let text = text_bytes.trim_ascii();
    !text.is_empty() && !UNSENT_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}

/// The parts of a content, which is a text, a part, or a list of both.
fn content_parts(content: Option<Val<'_>>, base: RecordBase<'_>) -> Vec<Part> {
    let part = |val: Val<'_>| match Text::copied(val, base) {
        Some(text) => Part::text(text, base.of(val).into()),
        None => parts::block("gemini", RawJson::copied(val, base), base.of(val)),
    };
    match content {
        Some(list) if list.is_array() => list.elements().map(part).collect(),
        Some(val) if val.is_object() || val.is_string() && !val.is("") => vec![part(val)],
        _ => Vec::new(),
    }
}

/// The parts of an answer. If its content has calls or thoughts, that is all of it; else thoughts and calls are in members
/// of their own.
fn answer(message: Val<'_>, base: RecordBase<'_>) -> Vec<Part> {
    let content = message.get(name::content);
    let is_complete = |part: Val<'_>| part.get(name::functionCall).is_some() || part.get(name::thought).is_some();
    let listed = content.filter(Val::is_array).into_iter().flat_map(|list| list.elements());
    if listed.chain(content.filter(Val::is_object)).any(is_complete) {
        return content_parts(content, base);
    }
    let thoughts = message.get("thoughts").filter(Val::is_array);
    let thoughts = thoughts.into_iter().flat_map(|list| list.elements()).filter_map(|own| thought(own, base));
    let calls = tool_calls(message).map(|call| {
        let at = base.of(call);
        let part = RawJson::build(at, |w| {
            w.object(|w| {
                w.key("functionCall").object(|w| copy(call, &["id", "name", "args"], base, w));
            })
        });
        parts::block("gemini", part, at)
    });
    thoughts.chain(content_parts(content, base)).chain(calls).collect()
}

/// Copies the members with these keys, if present.
fn copy(val: Val<'_>, keys: &[&str], base: RecordBase<'_>, w: &mut JsonWriter<'_>) {
    for (key, own) in keys.iter().filter_map(|key| Some((key, val.get(key)?))) {
        w.key(key).copy(own, base);
    }
}

fn thought(thought: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let at = base.of(thought);
    let description = thought.get("description").and_then(|own| own.text());
    let description = description.map(|own| String::from_utf8_lossy(&own).into_owned());
    let text = match text(thought, "subject") {
        Some(subject) => format!("**{subject}** {}", description.unwrap_or_default()),
        None => description?,
    };
    Some(parts::reasoning(ReasoningProvider::Google, Some(Text::respelled(&text, at)), None, at))
}

/// The parts that are sent for a call's result.
fn results(call: Val<'_>, base: RecordBase<'_>) -> Vec<Part> {
    match call.get(name::result).filter(|_| has_result(call)) {
        Some(text) if text.is_string() => {
            let at = base.of(text);
            let part = RawJson::build(at, |w| {
                w.object(|w| {
                    w.key("functionResponse").object(|w| {
                        copy(call, &["id", "name"], base, w);
                        w.key("response").object(|w| w.key("output").copy(text, base));
                    })
                })
            });
            vec![parts::block("gemini", part, at)]
        }
        result => content_parts(result, base),
    }
}
