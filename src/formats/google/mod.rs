//! Gemini's `generateContent`: its requests and responses, and recorded streams of them.

mod request;
mod response;
pub mod stream;

use crate::dialects::gemini::GEMINI;
use crate::format::envelope::Api;
use crate::json::Val;

pub static API: Api = Api {
    dialect: &GEMINI,
    request_score: request::score,
    is_request: |body| request::body_score(body) > 0,
    is_response: response::is_response,
    is_paired_response: response::is_response,
    request_text: &[],
    response_text: &[],
    settings: request::settings,
    read_request: request::read_contents,
    response_settings: response::settings,
    answers: Some(("candidates", "candidate")),
    read_answer: response::read_candidate,
    model: |record, response| response.and_then(response::model).or_else(|| requested_model(record)),
    chain: None,
};

/// The model in a URL: `…/models/gemini-3-pro:generateContent`.
fn requested_model(record: Val<'_>) -> Option<Box<str>> {
    let url = ["url", "uri"].iter().find_map(|key| record.get(key).or_else(|| record.at(&["request", key])));
    let url = url?.text()?;
    let url = String::from_utf8_lossy(&url);
    let (_, model) = url.split_once("/models/")?;
    Some(model.split([':', '?', '/']).next()?.into())
}
