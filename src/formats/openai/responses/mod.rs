//! The Responses API: its requests and responses, its items in a list or one a line, and its streams.

pub mod item_lines;
pub mod items;
pub mod request;
mod response;
pub mod stream;

use crate::dialects::responses::RESPONSES;
use crate::format::envelope::{Api, ResponseChain};
use crate::format::{MIN_DISTINCTIVE_SCORE, Probe, Record};
use crate::history::{HistorySettings, Usage};
use crate::json::{Val, name};

pub static API: Api = Api {
    dialect: &RESPONSES,
    request_score: |body| if request::is_body(body) { 80 } else { 0 },
    is_request: request::is_body,
    is_response: response::is_response,
    is_paired_response: |response| response.get(name::output).is_some_and(|output| output.is_array()),
    request_text: &[br#"\"input\":"#, br#"\"input\" :"#],
    response_text: &[br#"\"output\":"#, br#"\"output\" :"#],
    settings: request::settings,
    read_request: request::read_input,
    response_settings: response::settings,
    answers: None,
    read_answer: response::read_output,
    model: |_, _| None,
    chain: Some(ResponseChain { request: request::entry, response: response::entry, anchor: response::anchor }),
};

/// The settings of a response in a batch. Its request, and the previous response of that, are in another file.
pub(in crate::formats) fn settings_in_batch(response: Val<'_>, record: &Record<'_>) -> HistorySettings {
    HistorySettings {
        usage: Usage::Log,
        response: response::anchor(response, record),
        ..HistorySettings::default()
    }
}

/// The score of a record as a page of a response's input items.
pub(in crate::formats) fn page_score(probe: &Probe<'_>) -> u8 {
    if !probe.get(name::object).is_some_and(|object| object.is("list")) {
        return 0;
    }
    let paged = probe.val.get("first_id").is_some() && probe.get(name::has_more).is_some();
    match probe.get(name::data).filter(Val::is_array) {
        Some(data) if items::list_score(data) >= MIN_DISTINCTIVE_SCORE => 95,
        Some(data) if data.count() == 0 && paged => MIN_DISTINCTIVE_SCORE,
        _ => 0,
    }
}
