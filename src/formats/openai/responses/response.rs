//! A response as the Responses API returns it: `{"object": "response", "output": […]}`; also the answer of the compact
//! endpoint. Replayed, its output is the tail of a history.

use crate::dialects::responses::RESPONSES;
use crate::format::{Record, Sink, read_array};
use crate::history::tree::{self, Entry, Marks};
use crate::history::{Anchor, Finding, Flags, Settings, Usage, id, time};
use crate::json::{Val, name};
use crate::message::LossKind;

use super::request;
use crate::formats::member::named;

/// What a response says that is replayed.
pub(super) fn settings(response: Val<'_>, record: &Record<'_>) -> Settings {
    let settings = request::settings(response, record, Usage::Log);
    // The response names the state it was built on; replaying its output does not build on that.
    let lost = asked(response, record);
    Settings {
        previous: None,
        conversation: None,
        around: None,
        response: anchor(response, record),
        lost,
        ..settings
    }
}

/// What a response repeats of its request, and a conversion of its output does not say.
const ASKED: [&str; 12] = [
    "instructions",
    "tools",
    "tool_choice",
    "metadata",
    "user",
    "prompt",
    "text",
    "temperature",
    "top_p",
    "max_output_tokens",
    "max_tool_calls",
    "safety_identifier",
];

fn asked(response: Val<'_>, record: &Record<'_>) -> Vec<Finding> {
    let is_usual = |key: &str, val: Val<'_>| match key {
        "tool_choice" => val.is("auto"),
        "temperature" | "top_p" => matches!(val.raw(), b"1" | b"1.0"),
        "text" => val.at(&["format", "type"]).is_none_or(|kind| kind.is("text")),
        "instructions" if val.is_string() => val.as_str().is_some_and(|text| text.is_blank()),
        _ => val.is_null() || val.is_array() && val.count() == 0 || val.is_object() && val.count() == 0,
    };
    let said = ASKED.iter().filter_map(|key| Some((*key, response.member(*key)?)));
    let said = said.filter(|(key, member)| !member.val.is_null() && !is_usual(key, member.val));
    said.map(|(_, member)| LossKind::SETTING.found(record.base.of(member.val), record.number)).collect()
}

/// What a response is in a tree: it follows the response that it was built on.
pub(super) fn entry(response: Val<'_>, record: &Record<'_>) -> Entry {
    let name = named(response, "id").unwrap_or_default();
    let mut entry = Entry::new(&name, record.base.of(response), record.number, tree::Part::Answer);
    entry.parent = named(response, "previous_response_id");
    entry.model = named(response, "model");
    entry.store = response.get(name::store).and_then(|store| store.as_bool());
    entry.time = ["completed_at", "created_at"].iter().find_map(|key| {
        let number = std::str::from_utf8(response.get(key)?.raw()).ok()?;
        time::parse(number)
    });
    let made = id::anatomy(name.as_bytes()).time;
    entry.time = entry.time.or((made > 0).then_some(i64::from(made)));
    entry.response = (!name.is_empty()).then_some(name);
    entry.body = Some((record.base.of(response), false));
    entry.marks = Marks::CHAINED;
    if ["failed", "incomplete", "cancelled"]
        .iter()
        .any(|state| response.get(name::status).is_some_and(|s| s.is(state)))
    {
        entry.marks.set(Marks::FAILED);
    }
    entry
}

/// Whether a value is a response with its output.
pub(super) fn is_response(val: Val<'_>) -> bool {
    val.get(name::object).is_some_and(|o| o.is("response") || o.is("response.compaction"))
        && val.get(name::output).is_some_and(|o| o.is_array())
}

/// What others may build on: the response by its id.
pub(super) fn anchor(response: Val<'_>, record: &Record<'_>) -> Option<Anchor> {
    let anchor = request::anchor(response.get(name::id)?, record)?;
    let created =
        response.get("created_at").and_then(|time| time.as_u64()).and_then(|time| u32::try_from(time).ok());
    Some(Anchor { time: created.unwrap_or(anchor.time), ..anchor })
}

/// Reads the output of a response.
pub(super) fn read_output(response: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(output) = response.get(name::output) {
        read_array(&RESPONSES, output, record, part, flags | Flags::RECORDED, sink);
    }
}
