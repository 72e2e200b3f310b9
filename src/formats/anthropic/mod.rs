//! The Anthropic Messages API: its requests, its messages and streams, and Message Batches.

pub(in crate::formats) mod message;
pub(in crate::formats) mod request;
pub mod stream;

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::Probe;
use crate::format::envelope::Api;
use crate::json::{Val, name};

pub static API: Api = Api {
    dialect: &ANTHROPIC,
    request_score: request::score,
    is_request: |body| body.get(name::messages).is_some(),
    is_response: message::is_message,
    is_paired_response: message::is_message,
    request_text: &[],
    response_text: &[],
    settings: |body, record, _| request::settings(body, record),
    read_request: request::read_messages,
    response_settings: message::settings,
    answers: None,
    read_answer: message::read,
    model: |_, _| None,
    chain: None,
};

/// The score of a record of a Message Batch: the body that creates one, `{"requests": [{"custom_id": …, "params":
/// {request}}]}`; one of its requests; or a result, `{"custom_id": …, "result": {"type": "succeeded", "message": {…}}}`.
pub(in crate::formats) fn batch_score(probe: &Probe<'_>) -> u8 {
    let requests = probe.val.get("requests").into_iter().flat_map(|list| list.elements());
    let is_line = is_entry(probe.val) || probe.get(name::custom_id).is_some() && has_result(probe.val);
    if is_line || requests.into_iter().any(is_entry) { 96 } else { 0 }
}

fn is_entry(entry: Val<'_>) -> bool {
    entry.get(name::custom_id).is_some() && entry.at(&["params", "messages"]).is_some()
}

fn has_result(entry: Val<'_>) -> bool {
    let outcome = entry.at(&["result", "type"]).and_then(|kind| kind.text());
    matches!(outcome.as_deref(), Some(b"succeeded" | b"errored" | b"canceled" | b"expired"))
}
