//! A Gemini request together with its response: `{"request": {…}, "response": {…}}`, as proxies, recorders and batch
//! jobs write it; also with `body` for the request, and without a response. The record tells the model, which a request
//! alone does not: by the response's `modelVersion`, or the URL that was asked.

use crate::dialects::gemini::GEMINI;
use crate::format::{Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, name_entry};
use crate::history::Usage;
use crate::json::{Val, name};

use super::{gemini_request, gemini_response};

pub struct GeminiExchange;

pub static FORMAT: GeminiExchange = GeminiExchange;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-exchange",
    title: "Gemini request with its response",
    known_by: "`request` or `body` with `contents`, and usually a `response` with `candidates`",
    usage: Usage::Exchange,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["request", "contents"], unit: Unit::Element },
        Part { path: &["body", "contents"], unit: Unit::Element },
        Part { path: &["request", "body", "contents"], unit: Unit::Element },
        Part { path: &["response", "candidates"], unit: Unit::Element },
        Part { path: &["response", "body", "candidates"], unit: Unit::Element },
    ],
    records_responses: true,
    ..FormatInfo::of(&GEMINI, "gemini")
};

/// Number of the parts that are requests; the others are responses.
const REQUEST_PARTS: usize = 3;

impl Format for GeminiExchange {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.has(name::request) || probe.has(name::body) {
            u8::from(request(probe.val).is_some()) * 92
        } else {
            0
        }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let Some((part, body)) = request(record.val) else { return };
    let response = response(record.val);
    let mut settings = gemini_request::settings(body, record, Usage::Exchange);
    let answered = || response.and_then(|(_, response)| gemini_response::model(response));
    settings.model = settings.model.or_else(answered).or_else(|| asked(record.val));
    sink.mark(Mark::Start(Box::new(settings)));
    name_entry(record.val, record, sink);
    gemini_request::read_contents(body, record, part as u8, sink);
    if let Some((part, response)) = response {
        gemini_response::read_candidates(response, record, part as u8, sink);
    }
    sink.mark(Mark::End);
}

fn request<'r>(val: Val<'r>) -> Option<(usize, Val<'r>)> {
    let is_body = |body: &Val<'_>| gemini_request::body_score(*body) > 0;
    (0..REQUEST_PARTS).find_map(|part| INFO.holder(val, part).filter(is_body).map(|body| (part, body)))
}

fn response<'r>(val: Val<'r>) -> Option<(usize, Val<'r>)> {
    let is_response = |val: &Val<'_>| gemini_response::is_response(*val);
    (REQUEST_PARTS..INFO.parts.len())
        .find_map(|part| INFO.holder(val, part).filter(is_response).map(|val| (part, val)))
}

/// The model in a URL: `…/models/gemini-3-pro:generateContent`.
fn asked(record: Val<'_>) -> Option<Box<str>> {
    let url = ["url", "uri"].iter().find_map(|key| record.get(key).or_else(|| record.at(&["request", key])));
    let url = url?.text()?;
    let url = String::from_utf8_lossy(&url);
    let (_, model) = url.split_once("/models/")?;
    Some(model.split([':', '?', '/']).next()?.into())
}
