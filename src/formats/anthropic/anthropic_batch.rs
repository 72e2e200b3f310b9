//! Message Batches: the body that creates one, `{"requests": [{"custom_id": …, "params": {request}}]}`; its requests, one
//! a line; and its results, `{"custom_id": …, "result": {"type": "succeeded", "message": {…}}}`, one a line.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Format, FormatInfo, Histories, Layout, Part, Probe, Record, Sink, Slice, Unit};
use crate::history::Usage;
use crate::json::{Val, name};

use super::{anthropic_message, anthropic_request};

pub struct AnthropicBatch;

pub static FORMAT: AnthropicBatch = AnthropicBatch;

static INFO: FormatInfo = FormatInfo {
    name: "anthropic-batch",
    title: "Anthropic Message Batches, requests and results",
    known_by: "`custom_id` with a request in `params` or a batch `result`; or a list of such `requests`",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[
        Part { path: &["requests", "params", "messages"], unit: Unit::Element },
        Part { path: &["params", "messages"], unit: Unit::Element },
        Part { path: &["result", "message"], unit: Unit::Record },
    ],
    records_responses: true,
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

const IN_LIST: u8 = 0;
const IN_LINE: u8 = 1;
const RESULT: u8 = 2;

impl Format for AnthropicBatch {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let requests = probe.val.get("requests").into_iter().flat_map(|list| list.elements());
        let is_one =
            |entry: Val<'_>| params(entry).is_some() || entry.get(name::custom_id).is_some() && has_result(entry);
        if is_one(probe.val) || requests.into_iter().any(|entry| params(entry).is_some()) { 96 } else { 0 }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if let Slice::Element { section } = record.slice {
        if section == "requests" {
            read_entry(record.val, &Record { slice: Slice::Whole, ..*record }, IN_LIST, sink);
        }
        return;
    }
    for entry in record.val.get("requests").into_iter().flat_map(|list| list.elements()) {
        read_entry(entry, record, IN_LIST, sink);
    }
    read_entry(record.val, record, IN_LINE, sink);
}

fn read_entry(entry: Val<'_>, record: &Record<'_>, part: u8, sink: &mut dyn Sink) {
    if let Some(body) = params(entry) {
        anthropic_request::read_body(body, entry, record, part, sink);
    } else if let Some(message) = result(entry) {
        anthropic_message::read_message(message, entry, record, RESULT, sink);
    }
}

/// The request of an entry.
fn params(entry: Val<'_>) -> Option<Val<'_>> {
    entry.get(name::custom_id)?;
    entry.get("params").filter(|params| params.get(name::messages).is_some())
}

fn has_result(entry: Val<'_>) -> bool {
    let outcome = entry.at(&["result", "type"]).and_then(|kind| kind.text());
    matches!(outcome.as_deref(), Some(b"succeeded" | b"errored" | b"canceled" | b"expired"))
}

/// The message of a result; of one that failed there is none.
fn result(entry: Val<'_>) -> Option<Val<'_>> {
    entry.get(name::custom_id)?;
    entry.at(&["result", "message"]).filter(|message| message.get(name::content).is_some())
}
