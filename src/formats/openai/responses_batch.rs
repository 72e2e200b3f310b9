//! Lines of the Batch API for `/v1/responses`: `{"custom_id": …, "body": {request}}` in, and
//! `{"custom_id": …, "response": {"body": {response}}}` out.

use crate::dialects::responses::RESPONSES;
use crate::format::{Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, name_entry};
use crate::history::{Flags, Settings, Usage};
use crate::json::name;

use super::{responses_object, responses_request};

pub struct ResponsesBatch;

pub static FORMAT: ResponsesBatch = ResponsesBatch;

static INFO: FormatInfo = FormatInfo {
    name: "responses-batch",
    title: "lines of the Batch API for Responses, in and out",
    known_by: "`custom_id` with a request in `body`, or a response in `response.body`",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["body", "input"], unit: Unit::Element },
        Part { path: &["response", "body", "output"], unit: Unit::Element },
    ],
    records_responses: true,
    ..FormatInfo::of(&RESPONSES, "openai")
};

impl Format for ResponsesBatch {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.has(name::custom_id) {
            return 0;
        }
        let request = probe.val.get(name::body).is_some_and(responses_request::is_body);
        let response = probe.val.at(&["response", "body"]).is_some_and(responses_object::is_response);
        if request || response { 98 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if let Some(body) = record.val.get(name::body) {
        sink.mark(Mark::Start(Box::new(responses_request::settings(body, record, Usage::Request))));
        name_entry(record.val, record, sink);
        responses_request::read_input(body, record, 0, Flags::default(), sink);
    } else {
        let response = record.val.at(&["response", "body"]);
        let anchor = response.and_then(|response| responses_object::anchor(response, record));
        let settings = Settings { usage: Usage::Log, response: anchor, ..Settings::default() };
        sink.mark(Mark::Start(Box::new(settings)));
        name_entry(record.val, record, sink);
        if let Some(response) = response {
            responses_object::read_output(response, record, 1, Flags::default(), sink);
        }
    }
    sink.mark(Mark::End);
}
