//! Chat Completions: its requests and completions, its streams, and lines for training.

mod completion;
pub mod preference;
mod request;
pub mod stream;

use crate::dialects::chat::CHAT;
use crate::format::envelope::Api;
use crate::format::{Probe, Record, request_body};
use crate::history::{HistorySettings, Usage};
use crate::json::{Val, name};

pub(in crate::formats) use request::{is_chat_model, is_plausible, request_settings};

pub static API: Api = Api {
    dialect: &CHAT,
    request_score: request::score,
    is_request: |body| request::body_score(body) > 0,
    is_response: completion::is_completion,
    is_paired_response: |response| response.get(name::choices).is_some_and(|choices| choices.is_array()),
    request_text: &[br#"\"messages\":"#, br#"\"messages\" :"#],
    response_text: &[br#"\"choices\":"#, br#"\"choices\" :"#],
    settings: request::settings,
    read_request: request::read_messages,
    response_settings: completion::settings,
    answers: Some(("choices", "choice")),
    read_answer: completion::read_choice,
    model: |_, _| None,
    chain: None,
};

/// The score of a record as a page of stored completions, or of the messages of one.
pub(in crate::formats) fn page_score(probe: &Probe<'_>) -> u8 {
    if !probe.get(name::object).is_some_and(|object| object.is("list")) {
        return 0;
    }
    let first = probe.get(name::data).and_then(|data| data.elements().next());
    let is_own = |first| completion::is_completion(first) || is_stored_message(first);
    if first.is_some_and(is_own) { 98 } else { 0 }
}

/// True if a value is a message of a stored completion, whose id is part of the message's.
fn is_stored_message(val: Val<'_>) -> bool {
    let id = val.get(name::id).and_then(|id| id.text());
    let own = || val.get(name::tool_calls).is_some() || val.get("content_parts").is_some();
    val.get(name::role).is_some()
        && (id.is_some_and(|id| id.starts_with(b"chatcmpl")) || own())
        && request::message_likelihood(val).score() > 0
}

/// The keys that a line for training can have.
const TRAINING_KEYS: [&str; 4] = ["messages", "tools", "parallel_tool_calls", "functions"];

/// The score of a record as a line for supervised fine-tuning. It ends with the message that the model is to learn, or
/// excludes a message from training (`"weight": 0`).
pub(in crate::formats) fn training_score(probe: &Probe<'_>) -> u8 {
    let mut members = probe.val.members();
    if !members.all(|member| TRAINING_KEYS.iter().any(|key| member.key.is(key.as_bytes())))
        || !is_training_example(probe.val)
    {
        return 0;
    }
    match request::body_score(probe.val) {
        0 => 0,
        score => score + 5,
    }
}

/// True if some message has a `weight`, or the last is the assistant's.
fn is_training_example(line: Val<'_>) -> bool {
    let mut last_is_models = false;
    for message in line.get(name::messages).into_iter().flat_map(|messages| messages.elements()) {
        if message.get(name::weight).is_some() {
            return true;
        }
        last_is_models = message.get(name::role).is_some_and(|role| role.is("assistant"));
    }
    last_is_models
}

/// The settings of a line for training, which is not a request.
pub(in crate::formats) fn training_settings(line: Val<'_>, record: &Record<'_>) -> HistorySettings {
    HistorySettings { usage: Usage::Log, body: request_body(line, record), ..HistorySettings::default() }
}

/// The score of a record as a line for fine-tuning by preference.
pub(in crate::formats) fn preference_score(probe: &Probe<'_>) -> u8 {
    let input = || probe.get(name::input).is_some_and(|input| request::body_score(input) > 0);
    let outputs = || ["preferred_output", "non_preferred_output"].iter().all(|key| probe.val.get(key).is_some());
    if outputs() && input() { 95 } else { 0 }
}
