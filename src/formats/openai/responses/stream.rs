//! Streams of the Responses API as they were recorded: server-sent events, an event a line, or an array of events.
//!
//! Items come from `response.output_item.done` and from the last event, whose output replaces them; never from
//! `response.output_item.added`, whose items are provisional: arguments and outputs are empty, a blob can differ.
//! A stream without its last event has the items that were done by then.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink,
    Upstream, read_array, read_item,
};
use crate::history::tree::EntryMarks;
use crate::history::{Flags, Usage};
use crate::json::{Val, name};

use crate::formats::scoring;

use super::response;

pub struct ResponsesStream;

pub static FORMAT: ResponsesStream = ResponsesStream;

static INFO: FormatInfo = FormatInfo {
    name: "responses-stream",
    title: "recorded stream of the Responses API",
    upstream: Some(Upstream {
        repository: "openai/openai-python",
        file: Some("src/openai/types/responses"),
        version: Some("3.54.0"),
    }),
    known_by: "events whose `type` begins with `response.`: server-sent events, one per line, or in an array",
    usage: Usage::Log,
    histories: HistoryScope::PerNode,
    parts: &[
        RecordPart { path: &["item"], unit: RemovalUnit::Record },
        RecordPart { path: &["response", "output"], unit: RemovalUnit::Element },
    ],
    records_responses: true,
    read_only: Some("recorded streams are not edited"),
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&RESPONSES, "openai")
};

const ITEM_DONE: u8 = 0;
const OUTPUT: u8 = 1;

impl Format for ResponsesStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let first =
            if probe.val.is_array() { probe.val.elements().find(|e| e.is_object()) } else { Some(probe.val) };
        if first.is_some_and(is_event) { 100 } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        // Servers add their own events to a stream: errors, limits, heartbeats.
        val.is_array()
            || val.get(name::r#type).is_some_and(|kind| kind.is_string()) && !scoring::is_foreign_record(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.val.is_array() {
        true => record.val.elements().for_each(|event| read_event(event, record, sink)),
        false => read_event(record.val, record, sink),
    }
}

fn is_event(val: Val<'_>) -> bool {
    val.get(name::r#type).and_then(|name| name.text()).is_some_and(|name| name.starts_with(b"response."))
}

fn read_event(event: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let Some(name) = event.get(name::r#type).and_then(|name| name.text()) else { return };
    let state = match name.as_ref() {
        b"response.output_item.done" => {
            if let Some(item) = event.get(name::item) {
                read_item(&RESPONSES, item, record, ITEM_DONE, Flags::RECORDED, sink);
            }
            return;
        }
        b"response.created" | b"response.in_progress" | b"response.queued" => EntryMarks::UNFINISHED,
        b"response.completed" | b"response.done" => EntryMarks::default(),
        b"response.incomplete" | b"response.failed" | b"response.cancelled" => EntryMarks::FAILED,
        _ => return,
    };
    let Some(response) = event.get(name::response) else { return };
    let mut entry = response::entry(response, record);
    entry.marks.set(state);
    entry.continues = true;
    sink.mark(Mark::Entry(Box::new(entry)));
    // Some backends leave the output of the last event empty: then the items that were done are kept.
    if !state.has(EntryMarks::UNFINISHED)
        && let Some(output) = response.get(name::output).filter(|output| output.count() > 0)
    {
        sink.mark(Mark::Replace);
        read_array(&RESPONSES, output, record, OUTPUT, Flags::RECORDED, sink);
    }
}
