//! Events of AG2 as one JSON array, bare or each in the envelope of a network.

use crate::dialect::{Dialect, ItemOrigin};
use crate::dialects::ag2::{
    AG2, Ag2Event, hosted_result_item, message_item, paired_item, printed_item, repeated_item,
};
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink, Upstream,
};
use crate::history::{Finding, Flags, HistorySettings, Kind, Role, Usage, codes};
use crate::json::Val;

use crate::formats::provider;
use crate::formats::scoring;
use crate::formats::scoring::Likelihood;

pub struct Ag2Events;

pub static FORMAT: Ag2Events = Ag2Events;

static INFO: FormatInfo = FormatInfo {
    name: "ag2-events",
    title: "AG2 events (array)",
    upstream: Some(Upstream { repository: "ag2ai/ag2", file: Some("ag2/events"), version: Some("1.2.1") }),
    known_by: RECOGNISED_BY,
    usage: Usage::Log,
    histories: HistoryScope::PerRecord,
    parts: &PARTS,
    is_read_whole: true,
    ..FormatInfo::of(&AG2, "openai")
};

/// The features by which events are recognised.
pub(super) const RECOGNISED_BY: &str =
    "events with `__event__`, or `type` and `data`, that name a class of `ag2` or `autogen.beta`";

/// The locations of items in events.
pub(super) const PARTS: [RecordPart; 3] = [
    RecordPart { path: &[], unit: RemovalUnit::Message },
    RecordPart { path: &[], unit: RemovalUnit::Block },
    RecordPart { path: &[], unit: RemovalUnit::Entry },
];

/// The event is the item.
const EVENT: u8 = 0;
/// An element of an event that contains nothing else.
const BLOCK: u8 = 1;
/// An element of an event with other content.
const ENTRY: u8 = 2;

impl Format for Ag2Events {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.val.is_array() {
            return 0;
        }
        scoring::score_list(probe.val, |event| match event_score(event) {
            0 => Likelihood::Unknown,
            score => Likelihood::Score(score),
        })
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    sink.mark(Mark::Start(Box::new(HistorySettings { usage: Usage::Log, ..HistorySettings::default() })));
    record.val.elements().for_each(|event| read_event(event, record, sink));
    sink.mark(Mark::End);
}

/// The score of a value as an event of AG2.
pub(super) fn event_score(val: Val<'_>) -> u8 {
    match Ag2Event::of(val) {
        Some(event) if event.is_own() => 100,
        // A class that the user defined.
        Some(_) if val.get("__event__").is_some() => 60,
        _ => 0,
    }
}

/// Reads one event. Unknown classes are skipped, as by AG2.
pub(super) fn read_event(val: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let Some(event) = Ag2Event::of(val) else { return };
    let at =
        |part| ItemOrigin { base: record.base, record: record.number, turn: 0, part, flags: Flags::default() };
    match event.class() {
        b"ModelRequest" => {
            sink.mark(Mark::User);
            event.list("parts").for_each(|part| sink.item(message_item(part, Role::User, at(ENTRY))));
            if let Some(text) = event.get("content").filter(Val::is_string) {
                sink.item(message_item(text, Role::User, at(EVENT)));
            }
        }
        b"TextInput" | b"DataInput" | b"BinaryInput" | b"FileIdInput" | b"UploadedFile" | b"UrlInput" => {
            sink.mark(Mark::User);
            sink.item(message_item(event.fields, Role::User, at(EVENT)));
        }
        b"CompactionSummary" => {
            let origin = ItemOrigin { flags: Flags::INSERTED, ..at(EVENT) };
            sink.item(message_item(event.fields, Role::User, origin));
        }
        b"ModelResponse" => read_response(event, at(ENTRY), sink),
        b"ToolCallsEvent" => event.list("calls").for_each(|call| sink.item(repeated_item(call, at(BLOCK)))),
        b"ToolCallEvent" | b"ToolResultEvent" | b"ToolErrorEvent" => {
            sink.item(repeated_item(event.fields, at(EVENT)))
        }
        b"ToolResultsEvent" => {
            event.list("results").for_each(|it| sink.item(paired_item(it, Kind::FunctionCallOutput, at(BLOCK))));
        }
        b"OpenAIReasoningEvent" | b"OpenAIServerToolCallEvent" => read_item(event, at(EVENT), sink),
        b"OpenAIServerToolResultEvent" => match event.item().filter(is_output) {
            Some(item) => AG2.rows(item, at(EVENT), &mut |item| sink.item(item)),
            None => sink.item(hosted_result_item(event.fields, event, at(EVENT))),
        },
        _ => {}
    }
}

/// Reads a response: the text of the model, and its calls.
fn read_response(event: Ag2Event<'_>, origin: ItemOrigin<'_>, sink: &mut dyn Sink) {
    for (key, set) in
        [("model", set_model as fn(&mut HistorySettings, Box<str>)), ("provider", provider::set_target)]
    {
        if let Some(text) = event.text(key) {
            sink.mark(Mark::Settings(set, text.into()));
        }
    }
    let message = event.get("message").filter(|message| {
        message.get("content").and_then(|content| content.text()).is_some_and(|text| !text.is_empty())
    });
    let calls = event.get("tool_calls").and_then(|calls| calls.get("calls"));
    let mut items = Vec::new();
    items.extend(message.map(|message| message_item(message, Role::Assistant, origin)));
    let calls = calls.into_iter().flat_map(|calls| calls.elements());
    items.extend(calls.map(|call| paired_item(call, Kind::FunctionCall, origin)));
    // Rows are in the order of the file, where either can come first.
    items.sort_by_key(|item| item.row.at.start);
    items.into_iter().for_each(|item| sink.item(item));
}

/// Reads an item of the provider. Older versions kept only its printed form, which cannot be parsed.
fn read_item(event: Ag2Event<'_>, origin: ItemOrigin<'_>, sink: &mut dyn Sink) {
    if let Some(text) = event.printed_item() {
        let item = printed_item(text, event, origin);
        sink.report(Finding::new(codes::UNRECOVERABLE_ITEM, item.row).never("the item itself was not stored"));
        sink.item(item);
    } else if let Some(item) = event.item() {
        AG2.rows(item, origin, &mut |item| sink.item(item));
    }
}

/// True for an item that answers a call of the provider: a shell output.
fn is_output(item: &Val<'_>) -> bool {
    item.get("type").and_then(|name| name.text()).is_some_and(|name| Kind::of_type(&name).is_output())
}

fn set_model(settings: &mut HistorySettings, model: Box<str>) {
    settings.model = Some(model);
}
