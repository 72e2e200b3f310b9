//! The body of a request to Gemini's `generateContent`, as a document or one a line; or the bare list of its contents.

use crate::dialects::gemini::GEMINI;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, around, empty_list, read_array,
    read_item, read_slice,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::claim;

pub struct GeminiRequest;

pub static FORMAT: GeminiRequest = GeminiRequest;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-request",
    title: "body of a Gemini request, or the list of its contents",
    known_by: "`contents` with `parts`, or a list of contents",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["contents"], unit: Unit::Element }, Part { path: &[], unit: Unit::Element }],
    ..FormatInfo::of(&GEMINI, "gemini")
};

impl Format for GeminiRequest {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        match probe.val.is_array() {
            true => list_score(probe.val),
            false => body_score(probe.val),
        }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if read_slice(&INFO, record, Flags::default(), sink) {
        return;
    }
    sink.mark(Mark::Start(Box::new(settings(record.val, record, Usage::Request))));
    match record.val.is_array() {
        true => read_array(&GEMINI, record.val, record, 1, Flags::default(), sink),
        false => read_contents(record.val, record, 0, sink),
    }
    sink.mark(Mark::End);
}

/// What a body says about its request. The model is in the URL; some tools keep it beside the contents.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> Settings {
    let model = body.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    Settings {
        usage,
        model,
        around: around(body, record),
        empty: empty_list(body, "contents", record),
        ..Settings::default()
    }
}

/// Reads the contents of a body. SDKs take one content for a list of one.
pub(super) fn read_contents(body: Val<'_>, record: &Record<'_>, part: u8, sink: &mut dyn Sink) {
    match body.get(name::contents) {
        Some(contents) if contents.is_object() => {
            read_item(&GEMINI, contents, record, part, Flags::ALONE, sink);
        }
        Some(contents) => read_array(&GEMINI, contents, record, part, Flags::default(), sink),
        None => {}
    }
}

/// How surely an object is the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    match body.get(name::contents) {
        Some(contents) if contents.is_object() => u8::from(contents.get(name::parts).is_some()) * 88,
        Some(contents) if contents.count() == 0 && contents.is_array() => 40,
        Some(contents) => contents_score(contents),
        None => 0,
    }
}

/// Keys that contents never have, and records with `parts` of other programs do.
static OTHERS: NameSet = NameSet::of(&["content", "kind", "type", "id", "ts", "timestamp", "metadata"]);

/// How surely a bare list is one of contents: here everything must fit.
fn list_score(list: Val<'_>) -> u8 {
    let fits = |parts: Val<'_>| {
        parts.is_null() || parts.is_object() || parts.is_array() && parts.elements().all(|part| part.is_object())
    };
    let is_whole = list.elements().take(SAMPLE).filter_map(|content| content.get(name::parts)).all(fits);
    if is_whole { contents_score(list) } else { 0 }
}

/// Contents that are looked at, at most.
const SAMPLE: usize = 20;

/// How surely a list is one of contents, by its first: parts without types (those of UI messages have them), and no
/// content beside them. What is no object is a mistake, which the reader reports.
fn contents_score(list: Val<'_>) -> u8 {
    let own =
        |part: Val<'_>| !part.is_object() || part.get(name::r#type).is_none() && part.get("part_kind").is_none();
    let is_content = |content: Val<'_>| {
        let fits = match content.get(name::parts) {
            Some(parts) => parts.elements().all(own),
            None => content.get(name::role).is_some_and(|role| role.is("model")),
        };
        fits && !claim::is_record_or(content, &OTHERS)
    };
    let objects = || list.elements().filter(Val::is_object).take(SAMPLE);
    let some = || objects().any(|content| content.get(name::parts).is_some());
    if list.is_array() && objects().all(is_content) && some() { 88 } else { 0 }
}
