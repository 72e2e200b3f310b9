//! The difference between a request to Ollama's own API and one to Chat Completions. The bodies are similar, and Ollama's
//! endpoint for Chat Completions accepts `options` and `keep_alive` (recorded), so these alone are weak evidence.

use crate::format::{MIN_DISTINCTIVE_SCORE, is_reference};
use crate::json::{KeyName, NameSet, Val, name};

use crate::formats::scoring;

/// The score of a body with something that only Ollama's own API has; above that of any request to Chat Completions.
const OWN: u8 = 80;

/// The maximum number of messages that are examined.
const SAMPLE: usize = 64;

/// Members that only Chat Completions has at the top of a body, or that other APIs have.
static CHAT_KEYS: NameSet = NameSet::of(&[
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "tool_choice",
    "response_format",
    "stream_options",
    "frequency_penalty",
    "presence_penalty",
    "parallel_tool_calls",
    "reasoning_effort",
    "stop",
    "seed",
    "n",
    "system",
    "input",
    "anthropic_version",
    "inferenceConfig",
    "toolConfig",
]);

/// What the messages and members of a body indicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    None,
    Weak,
    Own,
    /// No request of Ollama's own API has it.
    Foreign,
}

/// The score of a body as a request to Ollama's own API.
pub(in crate::formats) fn score(body: Val<'_>) -> u8 {
    let Some(list) = body.get(name::messages).filter(Val::is_array) else { return 0 };
    if !body.get(name::model).is_some_and(|model| model.is_string()) || scoring::is_foreign_log(body) {
        return 0;
    }
    let messages = list.elements().filter(|message| !is_reference(*message)).take(SAMPLE);
    let found = strongest(messages.map(of_message));
    if found == Evidence::Foreign {
        return 0;
    }
    match found.max(of_members(body)) {
        Evidence::Own => OWN,
        Evidence::Weak if !body.names().intersects(&CHAT_KEYS) => MIN_DISTINCTIVE_SCORE,
        _ => 0,
    }
}

fn of_members(body: Val<'_>) -> Evidence {
    let thinks = body.get("think").is_some_and(|think| think.as_bool().is_some() || think.is_string());
    let format = body.get(name::format);
    // The Python client writes an empty format.
    let has_format = format.is_some_and(|format| format.is("json") || format.is("") || format.is_object());
    let has_options = body.get(name::options).is_some_and(|options| options.is_object());
    // Ollama's endpoint for Chat Completions ignores an unknown `format`.
    if thinks || has_format && !body.names().intersects(&CHAT_KEYS) {
        Evidence::Own
    } else if has_options || body.get(name::keep_alive).is_some() {
        Evidence::Weak
    } else {
        Evidence::None
    }
}

fn of_message(message: Val<'_>) -> Evidence {
    if !message.is_object() {
        return Evidence::Foreign;
    }
    let of_member = |(name, val): (KeyName, Val<'_>)| match name {
        name::content if val.is_array() => Evidence::Foreign,
        name::images if val.is_array() => Evidence::Own,
        name::tool_name | name::thinking if val.is_string() => Evidence::Own,
        name::tool_calls => strongest(val.elements().map(of_call)),
        _ => Evidence::None,
    };
    strongest(message.named_members().map(of_member))
}

/// The strongest evidence. Nothing is asked after the strongest that there is.
fn strongest(all: impl Iterator<Item = Evidence>) -> Evidence {
    let mut found = Evidence::None;
    for evidence in all {
        found = found.max(evidence);
        if found == Evidence::Foreign {
            break;
        }
    }
    found
}

/// A call of Ollama's has an object as arguments, and no `type`. One with both is a mistake in a request to Chat
/// Completions.
fn of_call(call: Val<'_>) -> Evidence {
    match call.get(name::function).and_then(|function| function.get(name::arguments)) {
        Some(arguments) if arguments.is_string() => Evidence::Foreign,
        Some(arguments) if arguments.is_object() && call.get(name::r#type).is_none() => Evidence::Own,
        _ => Evidence::None,
    }
}
