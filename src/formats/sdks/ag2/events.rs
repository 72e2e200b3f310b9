//! Events of AG2 as one JSON array, bare or each in the envelope of a network.

use crate::dialect::{Dialect, Origin};
use crate::dialects::ag2::{AG2, Ag2Event, again, hosted_result, paired, printed, said};
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, Upstream,
};
use crate::history::{Finding, Flags, Kind, Role, Settings, Usage, codes};
use crate::json::Val;

use crate::formats::claim;
use crate::formats::claim::Fit;
use crate::formats::provider;

pub struct Ag2Events;

pub static FORMAT: Ag2Events = Ag2Events;

static INFO: FormatInfo = FormatInfo {
    name: "ag2-events",
    title: "AG2 events (array)",
    upstream: Some(Upstream { repository: "ag2ai/ag2", file: Some("ag2/events"), version: Some("1.2.1") }),
    known_by: TOLD_BY,
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &PARTS,
    ..FormatInfo::of(&AG2, "openai")
};

pub(super) const TOLD_BY: &str =
    "events with `__event__`, or `type` and `data`, that name a class of `ag2` or `autogen.beta`";

pub(super) const PARTS: [Part; 3] = [
    Part { path: &[], unit: Unit::Message },
    Part { path: &[], unit: Unit::Block },
    Part { path: &[], unit: Unit::Entry },
];

/// The event is the item.
const EVENT: u8 = 0;
/// An element of an event that holds nothing else.
const BLOCK: u8 = 1;
/// An element of an event that says more.
const ENTRY: u8 = 2;

impl Format for Ag2Events {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.val.is_array() {
            return 0;
        }
        claim::most(probe.val, |event| match event_score(event) {
            0 => Fit::Unknown,
            score => Fit::Likely(score),
        })
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Element { section: "" } => read_event(record.val, record, sink),
        Slice::Element { .. } | Slice::Made => {}
        Slice::Whole | Slice::Head => {
            sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, ..Settings::default() })));
            record.val.elements().for_each(|event| read_event(event, record, sink));
            sink.mark(Mark::End);
        }
    }
}

/// How surely a value is an event of AG2.
pub(super) fn event_score(val: Val<'_>) -> u8 {
    match Ag2Event::of(val) {
        Some(event) if event.is_own() => 100,
        // A class of the user's own.
        Some(_) if val.get("__event__").is_some() => 60,
        _ => 0,
    }
}

/// Reads one event. Classes that are not known here are passed over, as AG2 does.
pub(super) fn read_event(val: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let Some(event) = Ag2Event::of(val) else { return };
    let at = |part| Origin { base: record.base, record: record.number, turn: 0, part, flags: Flags::default() };
    match event.class() {
        b"ModelRequest" => {
            sink.mark(Mark::User);
            event.list("parts").for_each(|part| sink.item(said(part, Role::User, at(ENTRY))));
            if let Some(text) = event.get("content").filter(Val::is_string) {
                sink.item(said(text, Role::User, at(EVENT)));
            }
        }
        b"TextInput" | b"DataInput" | b"BinaryInput" | b"FileIdInput" | b"UploadedFile" | b"UrlInput" => {
            sink.mark(Mark::User);
            sink.item(said(event.fields, Role::User, at(EVENT)));
        }
        b"CompactionSummary" => sink.item(said(event.fields, Role::User, at(EVENT))),
        b"ModelResponse" => read_response(event, at(ENTRY), sink),
        b"ToolCallsEvent" => event.list("calls").for_each(|call| sink.item(again(call, at(BLOCK)))),
        b"ToolCallEvent" | b"ToolResultEvent" | b"ToolErrorEvent" => sink.item(again(event.fields, at(EVENT))),
        b"ToolResultsEvent" => {
            event.list("results").for_each(|it| sink.item(paired(it, Kind::FunctionCallOutput, at(BLOCK))));
        }
        b"OpenAIReasoningEvent" | b"OpenAIServerToolCallEvent" => read_item(event, at(EVENT), sink),
        b"OpenAIServerToolResultEvent" => match event.item().filter(is_output) {
            Some(item) => AG2.rows(item, at(EVENT), &mut |item| sink.item(item)),
            None => sink.item(hosted_result(event.fields, event, at(EVENT))),
        },
        _ => {}
    }
}

/// A response: what the model said, then what it called.
fn read_response(event: Ag2Event<'_>, origin: Origin<'_>, sink: &mut dyn Sink) {
    for (key, set) in [("model", set_model as fn(&mut Settings, Box<str>)), ("provider", provider::set)] {
        if let Some(text) = event.text(key) {
            sink.mark(Mark::Settings(set, text.into()));
        }
    }
    let message = event.get("message").filter(|message| {
        message.get("content").and_then(|content| content.text()).is_some_and(|text| !text.is_empty())
    });
    let calls = event.get("tool_calls").and_then(|calls| calls.get("calls"));
    let mut items = Vec::new();
    items.extend(message.map(|message| said(message, Role::Assistant, origin)));
    let calls = calls.into_iter().flat_map(|calls| calls.elements());
    items.extend(calls.map(|call| paired(call, Kind::FunctionCall, origin)));
    // Rows stand in the order of the file, whichever of the two comes first there.
    items.sort_by_key(|item| item.row.at.start);
    items.into_iter().for_each(|item| sink.item(item));
}

/// What the provider made. Older versions kept its printed form only, which nothing can be read from.
fn read_item(event: Ag2Event<'_>, origin: Origin<'_>, sink: &mut dyn Sink) {
    if let Some(text) = event.printed_item() {
        let item = printed(text, event, origin);
        sink.find(Finding::new(codes::UNRECOVERABLE_ITEM, item.row).never("the item itself was not stored"));
        sink.item(item);
    } else if let Some(item) = event.item() {
        AG2.rows(item, origin, &mut |item| sink.item(item));
    }
}

/// What answers a call that the provider announced: a shell's output.
fn is_output(item: &Val<'_>) -> bool {
    item.get("type").and_then(|name| name.text()).is_some_and(|name| Kind::of_type(&name).is_output())
}

fn set_model(settings: &mut Settings, model: Box<str>) {
    settings.model = Some(model);
}
