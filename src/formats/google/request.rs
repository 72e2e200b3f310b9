//! The body of a request to Gemini's `generateContent`, as a document or one a line; or the bare list of its contents.

use crate::dialects::gemini::GEMINI;
use crate::format::{Record, Sink, around, empty_list, read_array, read_item};
use crate::history::{Flags, Settings, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::claim;

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
pub(super) fn read_contents(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    match body.get(name::contents) {
        Some(contents) if contents.is_object() => {
            read_item(&GEMINI, contents, record, part, flags | Flags::ALONE, sink);
        }
        Some(contents) => read_array(&GEMINI, contents, record, part, flags, sink),
        None => {}
    }
}

/// How surely a body, or a bare list of contents, is a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    if body.is_array() { list_score(body) } else { body_score(body) }
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
