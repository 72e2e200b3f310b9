//! A Converse request together with its response: `{"request": {…}, "response": {…}}`, as proxies and recorders write
//! it, also with `body` for the request; and the records of Bedrock's own invocation log, which has both under `input`
//! and `output`. The record may tell the model, which a request alone does not.

use crate::dialects::bedrock::BEDROCK;
use crate::format::{Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit};
use crate::history::Usage;
use crate::json::{Val, name};

use super::{bedrock_request, bedrock_response};

pub struct BedrockExchange;

pub static FORMAT: BedrockExchange = BedrockExchange;

static INFO: FormatInfo = FormatInfo {
    name: "bedrock-exchange",
    title: "Bedrock Converse request with its response",
    known_by: "`request` or `body`, a Converse request, and its `response`; or a record of Bedrock's invocation log",
    usage: Usage::Exchange,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["request", "messages"], unit: Unit::Element },
        Part { path: &["body", "messages"], unit: Unit::Element },
        Part { path: &["request", "body", "messages"], unit: Unit::Element },
        Part { path: &["input", "inputBodyJson", "messages"], unit: Unit::Element },
        Part { path: &["response", "output"], unit: Unit::Element },
        Part { path: &["response", "body", "output"], unit: Unit::Element },
        Part { path: &["output", "outputBodyJson", "output"], unit: Unit::Element },
    ],
    records_responses: true,
    ..FormatInfo::of(&BEDROCK, "bedrock")
};

/// Number of the parts that are requests; the others are responses.
const REQUEST_PARTS: usize = 4;

impl Format for BedrockExchange {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let told = probe.has(name::request) || probe.has(name::body) || probe.has(name::input);
        u8::from(told && request(probe.val).is_some()) * 92
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let Some((part, body)) = request(record.val) else { return };
    let response = response(record.val);
    let mut settings = bedrock_request::settings(body, record, Usage::Exchange);
    settings.model = settings.model.or_else(|| asked(record.val));
    sink.mark(Mark::Start(Box::new(settings)));
    bedrock_request::read_messages(body, record, part as u8, sink);
    if let Some((part, response)) = response {
        bedrock_response::read_message(response, record, part as u8, sink);
    }
    sink.mark(Mark::End);
}

fn request<'r>(val: Val<'r>) -> Option<(usize, Val<'r>)> {
    let is_body = |body: &Val<'_>| bedrock_request::body_score(*body) > 0;
    (0..REQUEST_PARTS).find_map(|part| INFO.holder(val, part).filter(is_body).map(|body| (part, body)))
}

fn response<'r>(val: Val<'r>) -> Option<(usize, Val<'r>)> {
    let is_response = |val: &Val<'_>| bedrock_response::message(*val).is_some();
    (REQUEST_PARTS..INFO.parts.len())
        .find_map(|part| INFO.holder(val, part).filter(is_response).map(|val| (part, val)))
}

/// The model that a record names, or the URL that was asked: `…/model/us.anthropic.claude-…/converse`.
fn asked(record: Val<'_>) -> Option<Box<str>> {
    if let Some(model) = record.get(name::modelId).and_then(|model| model.text()) {
        return Some(String::from_utf8_lossy(&model).into());
    }
    let url = ["url", "uri"].iter().find_map(|key| record.get(key).or_else(|| record.at(&["request", key])));
    let url = url?.text()?;
    let url = String::from_utf8_lossy(&url);
    let (_, model) = url.split_once("/model/")?;
    Some(model.split('/').next()?.into())
}
