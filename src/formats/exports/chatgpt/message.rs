//! A message of ChatGPT's, by the type of its content.

use crate::format::translate::Stored;
use crate::formats::threads::ThreadBuilder;
use crate::history::Role;
use crate::json::{Val, name};
use crate::message::{ResultPart, Text};

/// Members of a content that hold text, beside `parts`.
const TEXTS: [&str; 7] =
    ["text", "result", "user_profile", "user_instructions", "model_set_context", "structured_context", "content"];

/// Whether a node has a message that says something.
pub(super) fn says(node: Val<'_>) -> bool {
    node.get(name::message).is_some_and(|message| message.is_object() && !texts(message).is_empty())
}

/// Adds what is sent of a message.
pub(super) fn add(message: Val<'_>, from: &Stored<'_>, said: &mut ThreadBuilder) {
    let role = message.at(&["author", "role"]).and_then(|role| role.text()).unwrap_or_default();
    let content = message.get(name::content);
    let is =
        |name: &str| content.and_then(|content| content.get("content_type")).is_some_and(|kind| kind.is(name));
    let texts = texts(message);
    pictures(message, from, said);
    // A recap says how long the model thought, and a message without weight is not in its context.
    let is_light = message.get(name::weight).is_some_and(|weight| matches!(weight.raw(), b"0" | b"0.0"));
    if texts.is_empty() || is("reasoning_recap") || is_light {
        return;
    }
    match role.as_ref() {
        b"user" => {
            said.begin();
            texts.into_iter().for_each(|text| said.text(Role::User, Some(text), from));
        }
        b"assistant" if is("thoughts") => texts.into_iter().for_each(|text| said.thought(text, from)),
        b"assistant" => match message.get("recipient").filter(|to| to.is_string() && !to.is("all")) {
            Some(tool) => call(message, tool, &texts, from, said),
            None => texts.into_iter().for_each(|text| said.text(Role::Assistant, Some(text), from)),
        },
        b"tool" => {
            let at = from.base.of(message);
            let all = || {
                let all: Vec<Text> = texts.iter().filter_map(|text| Text::copied(*text, from.base)).collect();
                vec![ResultPart::Text(Text::join(&all, "\\n").at(at))]
            };
            match said.open_call() {
                Some(_) => said.result_of(None, all(), false, message, from),
                None if said.add_to_result(all()) => {}
                // What was found in files of the user's, say: nobody called for it.
                None => texts.into_iter().for_each(|text| said.text(Role::System, Some(text), from)),
            }
        }
        _ => {
            said.begin();
            texts.into_iter().for_each(|text| said.text(Role::System, Some(text), from));
        }
    }
}

/// The texts of a message.
fn texts<'v>(message: Val<'v>) -> Vec<Val<'v>> {
    let Some(content) = message.get(name::content) else { return Vec::new() };
    let parts = content.get(name::parts).into_iter().flat_map(|parts| parts.elements());
    // What was said aloud is written down beside the recording.
    let of_part = |part: Val<'v>| if part.is_string() { Some(part) } else { part.get(name::text) };
    let thoughts = content.get("thoughts").into_iter().flat_map(|thoughts| thoughts.elements());
    let of_thought = |thought: Val<'v>| thought.get(name::content).or_else(|| thought.get(name::summary));
    let members = TEXTS.iter().filter_map(|key| content.get(key));
    let all = parts.filter_map(of_part).chain(thoughts.filter_map(of_thought)).chain(members);
    all.filter(|text| text.as_str().is_some_and(|text| !text.is_empty())).collect()
}

fn pictures(message: Val<'_>, from: &Stored<'_>, said: &mut ThreadBuilder) {
    let parts = message.at(&["content", "parts"]).into_iter().flat_map(|parts| parts.elements());
    for part in parts {
        let kind = part.get("content_type").and_then(|kind| kind.text()).unwrap_or_default();
        if kind.ends_with(b"_pointer") {
            let name = format!("a part `{}`", String::from_utf8_lossy(&kind));
            said.lose(name, part, from, "it names a file that is not in the conversation");
        }
    }
}

/// A message to a tool. Its name has dots, which names of functions may not have.
fn call(message: Val<'_>, tool: Val<'_>, texts: &[Val<'_>], from: &Stored<'_>, said: &mut ThreadBuilder) {
    let name = tool.text().unwrap_or_default();
    let name: String = String::from_utf8_lossy(&name)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .collect();
    let name = Text::respelled(&name, from.base.of(tool));
    said.call_of(Role::Assistant, message.get(name::id), name, texts.first().copied(), message, from);
}
