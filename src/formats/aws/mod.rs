//! Bedrock's `Converse`: its requests and responses, and recorded streams of them.

pub(in crate::formats) mod request;
mod response;
pub mod stream;

use crate::dialects::bedrock::BEDROCK;
use crate::format::envelope::Api;
use crate::json::{Val, name};

pub static API: Api = Api {
    dialect: &BEDROCK,
    request_score: request::score,
    is_request: |body| request::body_score(body) > 0,
    is_response: |response| response::message(response).is_some(),
    is_paired_response: |response| response::message(response).is_some(),
    request_text: &[],
    response_text: &[],
    settings: request::settings,
    read_request: request::read_messages,
    response_settings: response::settings,
    answers: None,
    read_answer: response::read_message,
    model: |record, _| requested_model(record),
    chain: None,
};

/// The model that a record names, or the one in its URL: `…/model/us.anthropic.claude-…/converse`.
fn requested_model(record: Val<'_>) -> Option<Box<str>> {
    if let Some(model) = record.get(name::modelId).and_then(|model| model.text()) {
        return Some(String::from_utf8_lossy(&model).into());
    }
    let url = ["url", "uri"].iter().find_map(|key| record.get(key).or_else(|| record.at(&["request", key])));
    let url = url?.text()?;
    let url = String::from_utf8_lossy(&url);
    let (_, model) = url.split_once("/model/")?;
    Some(model.split('/').next()?.into())
}
