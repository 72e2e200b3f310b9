//! Messages of ChatGPT, by the type of their content.

use crate::format::translate::ParsedRecord;
use crate::formats::threads::ThreadBuilder;
use crate::history::Role;
use crate::json::{Val, name};
use crate::message::{ResultPart, Text};

/// Members of a content with text, other than `parts`.
const TEXTS: [&str; 7] =
    ["text", "result", "user_profile", "user_instructions", "model_set_context", "structured_context", "content"];

/// True if a node has a message with text.
pub(super) fn has_text(node: Val<'_>) -> bool {
    node.get(name::message).is_some_and(|message| message.is_object() && !texts(message).is_empty())
}

/// Adds the sent parts of a message.
pub(super) fn add(message: Val<'_>, from: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    let role = message.at(&["author", "role"]).and_then(|role| role.text()).unwrap_or_default();
    let content = message.get(name::content);
    let is =
        |name: &str| content.and_then(|content| content.get("content_type")).is_some_and(|kind| kind.is(name));
    let texts = texts(message);
    report_files(message, from, thread);
    // A recap states how long the model thought, and a message without weight is not in its context.
    let is_light = message.get(name::weight).is_some_and(|weight| matches!(weight.raw(), b"0" | b"0.0"));
    if texts.is_empty() || is("reasoning_recap") || is_light {
        return;
    }
    match role.as_ref() {
        b"user" => {
            thread.begin();
            texts.into_iter().for_each(|text| thread.text(Role::User, Some(text), from));
        }
        b"assistant" if is("thoughts") => texts.into_iter().for_each(|text| thread.push_reasoning(text, from)),
        b"assistant" => match message.get("recipient").filter(|to| to.is_string() && !to.is("all")) {
            Some(tool) => call(message, tool, &texts, from, thread),
            None => texts.into_iter().for_each(|text| thread.text(Role::Assistant, Some(text), from)),
        },
        b"tool" => {
            let at = from.base.of(message);
            let all = || {
                let all: Vec<Text> = texts.iter().filter_map(|text| Text::copied(*text, from.base)).collect();
                vec![ResultPart::Text(Text::join(&all, "\\n").reported_at(at))]
            };
            match thread.open_call() {
                Some(_) => thread.push_result(None, all(), false, message, from),
                None if thread.add_to_result(all()) => {}
                // Output without a call, such as matches in files of the user.
                None => texts.into_iter().for_each(|text| thread.text(Role::System, Some(text), from)),
            }
        }
        _ => {
            thread.begin();
            texts.into_iter().for_each(|text| thread.text(Role::System, Some(text), from));
        }
    }
}

/// The texts of a message.
fn texts<'v>(message: Val<'v>) -> Vec<Val<'v>> {
    let Some(content) = message.get(name::content) else { return Vec::new() };
    let parts = content.get(name::parts).into_iter().flat_map(|parts| parts.elements());
    // A voice message has its transcript next to the recording.
    let of_part = |part: Val<'v>| if part.is_string() { Some(part) } else { part.get(name::text) };
    let thoughts = content.get("thoughts").into_iter().flat_map(|thoughts| thoughts.elements());
    let of_thought = |thought: Val<'v>| thought.get(name::content).or_else(|| thought.get(name::summary));
    let members = TEXTS.iter().filter_map(|key| content.get(key));
    let all = parts.filter_map(of_part).chain(thoughts.filter_map(of_thought)).chain(members);
    all.filter(|text| text.as_str().is_some_and(|text| !text.is_empty())).collect()
}

fn report_files(message: Val<'_>, from: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    let parts = message.at(&["content", "parts"]).into_iter().flat_map(|parts| parts.elements());
    for part in parts {
        let kind = part.get("content_type").and_then(|kind| kind.text()).unwrap_or_default();
        if kind.ends_with(b"_pointer") {
            let name = format!("a part `{}`", String::from_utf8_lossy(&kind));
            thread.report_loss(name, part, from, "it names a file that is not in the conversation");
        }
    }
}

/// Adds a message to a tool. The name of a tool can have dots, which names of functions cannot.
fn call(message: Val<'_>, tool: Val<'_>, texts: &[Val<'_>], from: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    let name = tool.text().unwrap_or_default();
    let name: String = String::from_utf8_lossy(&name)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    let name = Text::respelled(&name, from.base.of(tool));
    thread.push_call(Role::Assistant, message.get(name::id), name, texts.first().copied(), message, from);
}
