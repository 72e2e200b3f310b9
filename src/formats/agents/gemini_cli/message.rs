//! A stored message, as the turns that the CLI sends for it when the session is resumed.

use crate::format::translate::Stored;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};
use crate::place::Place;

/// How a text of the user's begins that is not sent: commands, and what the CLI puts there itself.
const UNSENT: [&[u8]; 4] = [b"/", b"?", b"<session_context>", b"<hook_context>"];

/// What a message is sent as.
pub struct Message {
    pub at: Place,
    pub record: u32,
    /// It is the user's, and the CLI does not send it.
    pub is_unsent: bool,
    pub model: Option<Box<str>>,
    /// Contents of the Gemini API.
    pub turns: Vec<Pieced>,
}

impl Message {
    pub fn of(val: Val<'_>, record: &Stored<'_>) -> Message {
        let base = record.base;
        let is = |name: &str| val.get(name::r#type).is_some_and(|kind| kind.is(name));
        let mut turns = Vec::new();
        let mut turn = |role: &str, parts: Vec<Pieced>| {
            if !parts.is_empty() {
                let at = base.of(val);
                let content = Pieced::object(at).with("role", Pieced::text(role, at));
                turns.push(content.with("parts", Pieced::list_of(parts, at)));
            }
        };
        if is("user") {
            if is_sent(val.get(name::content)) {
                turn("user", parts(val.get(name::content), base));
            }
        } else if is("gemini") {
            turn("model", model_parts(val, base));
            turn("user", tool_calls(val).flat_map(|call| results(call, base)).collect());
        }
        let model = val.get(name::model).filter(|_| is("gemini")).and_then(|model| model.text());
        let at = base.of(val);
        Message {
            at,
            record: record.number,
            is_unsent: is("user") && !is_sent(val.get(name::content)),
            model: model.map(|model| String::from_utf8_lossy(&model).into()),
            turns,
        }
    }
}

/// The calls of a message, with their results.
pub fn tool_calls<'v>(message: Val<'v>) -> impl Iterator<Item = Val<'v>> {
    let list = message.get("toolCalls").filter(Val::is_array);
    list.into_iter().flat_map(|list| list.elements()).filter(Val::is_object)
}

/// Whether a call has a result. An empty text is none.
pub fn has_result(call: Val<'_>) -> bool {
    call.get(name::result).is_some_and(|result| match result {
        result if result.is_array() => result.count() > 0,
        result => result.is_object() || result.is_string() && !result.is(""),
    })
}

/// Whether what the user says is sent.
pub fn is_sent(content: Option<Val<'_>>) -> bool {
    let Some(content) = content else { return false };
    let all: Vec<Val<'_>> = if content.is_array() { content.elements().collect() } else { vec![content] };
    let mut said = Vec::new();
    for part in all {
        let text = if part.is_string() { part.text() } else { part.get(name::text).and_then(|text| text.text()) };
        match text {
            Some(text) => said.extend_from_slice(&text),
            // What is not a text says something.
            None if part.is_object() && part.count() > 0 => said.push(b'['),
            None => {}
        }
    }
    let said = said.trim_ascii();
    !said.is_empty() && !UNSENT.iter().any(|start| said.starts_with(start))
}

/// The parts of a content: a text, a part, or a list of both.
fn parts(content: Option<Val<'_>>, base: Base<'_>) -> Vec<Pieced> {
    let part = |val: Val<'_>| match val.is_string() {
        true => Pieced::object(base.of(val)).with_copy("text", Some(val), base),
        false => Pieced::of(val, base),
    };
    match content {
        Some(list) if list.is_array() => list.elements().map(part).collect(),
        Some(val) if val.is_object() || val.is_string() && !val.is("") => vec![part(val)],
        _ => Vec::new(),
    }
}

/// What the model said. Parts that hold a call or a thought are all of it; else thoughts and calls lie beside the text.
fn model_parts(message: Val<'_>, base: Base<'_>) -> Vec<Pieced> {
    let content = message.get(name::content);
    let is_whole = |part: Val<'_>| part.get(name::functionCall).is_some() || part.get(name::thought).is_some();
    let listed = content.filter(Val::is_array).into_iter().flat_map(|list| list.elements());
    if listed.chain(content.filter(Val::is_object)).any(is_whole) {
        return parts(content, base);
    }
    let thoughts = message.get("thoughts").filter(Val::is_array);
    let thoughts = thoughts.into_iter().flat_map(|list| list.elements());
    let mut all: Vec<Pieced> = thoughts.filter_map(|thought| thought_part(thought, base)).collect();
    all.extend(parts(content, base));
    all.extend(tool_calls(message).map(|call| {
        let at = base.of(call);
        let inner = Pieced::object(at)
            .with_copy("id", call.get(name::id), base)
            .with_copy("name", call.get(name::name), base)
            .with_copy("args", call.get(name::args), base);
        Pieced::object(at).with("functionCall", inner)
    }));
    all
}

fn thought_part(thought: Val<'_>, base: Base<'_>) -> Option<Pieced> {
    let text = |key: &str| {
        let text = thought.get(key)?.text()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    let said = match (text("subject").filter(|subject| !subject.is_empty()), text("description")) {
        (Some(subject), description) => format!("**{subject}** {}", description.unwrap_or_default()),
        (None, description) => description?,
    };
    let at = base.of(thought);
    Some(Pieced::object(at).with("text", Pieced::reworded(&said, at)).with("thought", Pieced::fixed("true", at)))
}

/// The parts that a call's result is sent as.
fn results(call: Val<'_>, base: Base<'_>) -> Vec<Pieced> {
    match call.get(name::result).filter(|_| has_result(call)) {
        Some(text) if text.is_string() => {
            let at = base.of(text);
            let response = Pieced::object(at).with_copy("output", Some(text), base);
            let inner = Pieced::object(at)
                .with_copy("id", call.get(name::id), base)
                .with_copy("name", call.get(name::name), base)
                .with("response", response);
            vec![Pieced::object(at).with("functionResponse", inner)]
        }
        result => parts(result, base),
    }
}
