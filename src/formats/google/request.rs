//! The body of a request to Gemini's `generateContent`, as a document or one a line; or the bare list of its contents.

use crate::dialects::gemini::GEMINI;
use crate::format::{GEMINI_OPTIONS, Record, Sink, empty_list, read_array, read_item, read_options, request_body};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::scoring;

/// The settings of a request, from its body. The model is in the URL; some tools keep it next to the contents.
pub(super) fn settings(body: Val<'_>, record: &Record<'_>, usage: Usage) -> HistorySettings {
    let model = body.get(name::model).and_then(|model| model.text());
    let model = model.map(|model| String::from_utf8_lossy(&model).into());
    HistorySettings {
        usage,
        model,
        options: read_options(body, record, &GEMINI_OPTIONS),
        body: request_body(body, record),
        empty: empty_list(body, "contents", record),
        ..HistorySettings::default()
    }
}

/// Reads the contents of a body. SDKs accept a single content in place of a list.
pub(super) fn read_contents(body: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    match body.get(name::contents) {
        Some(contents) if contents.is_object() => {
            read_item(&GEMINI, contents, record, part, flags | Flags::ALONE, sink);
        }
        Some(contents) => read_array(&GEMINI, contents, record, part, flags, sink),
        None => {}
    }
}

/// The score of a body, or a bare list of contents, as a request.
pub(super) fn score(body: Val<'_>) -> u8 {
    if body.is_array() { list_score(body) } else { body_score(body) }
}

/// The score of an object as the body of a request.
pub(super) fn body_score(body: Val<'_>) -> u8 {
    match body.get(name::contents) {
        Some(contents) if contents.is_object() => u8::from(contents.get(name::parts).is_some()) * 88,
        Some(contents) if contents.count() == 0 && contents.is_array() => 40,
        Some(contents) => contents_score(contents),
        None => 0,
    }
}

/// Keys of records with `parts` of other programs that contents never have.
static FOREIGN_KEYS: NameSet = NameSet::of(&["content", "kind", "type", "id", "ts", "timestamp", "metadata"]);

/// The score of a bare list as contents: all `parts` must have the right shape.
fn list_score(list: Val<'_>) -> u8 {
    let fits = |parts: Val<'_>| {
        parts.is_null() || parts.is_object() || parts.is_array() && parts.elements().all(|part| part.is_object())
    };
    let is_whole = list.elements().take(SAMPLE).filter_map(|content| content.get(name::parts)).all(fits);
    if is_whole { contents_score(list) } else { 0 }
}

/// The maximum number of contents that are examined.
const SAMPLE: usize = 20;

/// The score of a list as contents, by the first of them: parts without types (those of UI messages have them), and no
/// `content` next to them. An element that is not an object is a mistake, which the reader reports.
fn contents_score(list: Val<'_>) -> u8 {
    let own =
        |part: Val<'_>| !part.is_object() || part.get(name::r#type).is_none() && part.get("part_kind").is_none();
    let is_content = |content: Val<'_>| {
        let fits = match content.get(name::parts) {
            Some(parts) => parts.elements().all(own),
            None => content.get(name::role).is_some_and(|role| role.is("model")),
        };
        fits && !scoring::is_foreign_record_or_has(content, &FOREIGN_KEYS)
    };
    let objects = || list.elements().filter(Val::is_object).take(SAMPLE);
    let some = || objects().any(|content| content.get(name::parts).is_some());
    if list.is_array() && objects().all(is_content) && some() { 88 } else { 0 }
}
