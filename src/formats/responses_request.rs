//! The body of a request to `/v1/responses`: `{"model": …, "input": […]}`, as a document or one a line.

use crate::dialects::responses::RESPONSES;
use crate::dialect::Body;
use crate::format::{
    Format, FormatInfo, Histories, Mark, Part, Probe, Record, Sink, Unit, empty_list, read_array, read_slice, request_body,
};
use crate::history::tree::{self, Entry, Marks};
use crate::history::{Anchor, Effort, Flags, Kind, Role, Row, Settings, Usage};
use crate::json::Val;

pub struct ResponsesRequest;

pub static FORMAT: ResponsesRequest = ResponsesRequest;

static INFO: FormatInfo = FormatInfo {
    name: "responses-request",
    title: "body of a Responses request",
    told_by: "an object with `input`, and `model` or a list of items",
    dialect: &RESPONSES,
    target: "openai",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["input"], unit: Unit::Element }],
    records_responses: false,
};

/// Keys of other requests that have an `input` too: embeddings, Langfuse, alpaca, Gemini's interactions.
const OTHERS: [&str; 5] = ["encoding_format", "traceId", "instruction", "response_modalities", "dimensions"];

impl Format for ResponsesRequest {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.has("input") || OTHERS.iter().any(|key| probe.val.get(key).is_some()) {
            return 0;
        }
        if is_body(probe.val) { 80 } else { 0 }
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        if read_slice(&INFO, record, Flags::default(), sink) {
            return;
        }
        sink.mark(Mark::Start(Box::new(settings(record.val, record, Usage::Request))));
        sink.mark(Mark::Entry(Box::new(entry(record.val, record))));
        read_input(record.val, record, 0, Flags::default(), sink);
        sink.mark(Mark::End);
    }

    fn bodies(&self, record: &Record<'_>, _: Option<bool>, each: &mut dyn FnMut(Body<'_>)) {
        request_body(record.val, record, each);
    }
}

/// Whether an object is the body of a Responses request.
pub(super) fn is_body(val: Val<'_>) -> bool {
    match val.get("input") {
        // Embeddings take lists of strings and of numbers.
        Some(input) if input.is_array() => input.elements().next().is_none_or(|first| first.is_object()),
        Some(input) => input.is_string() && val.get("model").is_some(),
        None => false,
    }
}

/// Reads the `input` of a body.
pub(super) fn read_input(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    let Some(input) = body.get("input") else { return };
    if input.is_string() {
        // A text for input is a message of the user.
        let mut row = Row::of_place(record.base.of(input), record.number);
        (row.kind, row.of, row.role, row.part) = (Kind::Message, Kind::Message, Role::User, part);
        row.flags = flags | Flags::SYNTHETIC;
        sink.item(crate::dialect::Item { row, val: input, id: None, key: None });
    } else {
        read_array(&RESPONSES, input, record, part, flags, sink);
    }
}

/// The response that an id names.
pub(super) fn anchor(id: Val<'_>, record: &Record<'_>) -> Option<Anchor> {
    let text = id.text().filter(|text| !text.is_empty())?;
    Some(Anchor::of(record.base.of(id), &text))
}

/// Whether a list of tools defines a namespace: only then it tells more than the calls do.
fn has_namespaces(tools: Val<'_>) -> bool {
    tools.elements().any(|tool| tool.get("type").is_some_and(|kind| kind.is("namespace")))
}

/// What a request is in a tree: nothing names it until its response is found.
pub(super) fn entry(body: Val<'_>, record: &Record<'_>) -> Entry {
    let text = |key: &str| {
        let text = body.get(key)?.text().filter(|text| !text.is_empty())?;
        Some(Box::<str>::from(String::from_utf8_lossy(&text)))
    };
    let mut entry = Entry::new("", record.base.of(body), record.number, tree::Part::Input);
    entry.parent = text("previous_response_id");
    entry.model = text("model");
    entry.store = body.get("store").and_then(|store| store.as_bool());
    entry.body = Some((record.base.of(body), false));
    entry.marks = Marks::CHAINED;
    entry
}

/// What a body says about its request.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> Settings {
    let stored_prompt = body.get("prompt").is_some_and(|prompt| !prompt.is_null());
    let empty = empty_list(body, "input", record).filter(|_| !stored_prompt);
    let mut settings = Settings { usage, empty, ..Settings::default() };
    for member in body.members() {
        let val = member.val;
        match member.key.decode().as_ref() {
            b"store" => settings.store = val.as_bool(),
            b"model" => settings.model = val.text().map(|m| String::from_utf8_lossy(&m).into()),
            b"previous_response_id" => settings.previous = anchor(val, record),
            b"tools" if has_namespaces(val) => settings.tools = Some(record.base.of(val)),
            b"conversation" if !val.is_null() => settings.conversation = Some(record.base.of(val)),
            b"reasoning" => {
                settings.effort = val.get("effort").and_then(|e| e.text()).map(|e| Effort::of(&e));
            }
            _ => {}
        }
    }
    settings
}
