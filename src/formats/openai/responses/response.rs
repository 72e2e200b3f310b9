//! A response as the Responses API returns it: `{"object": "response", "output": […]}`; also that of the compact endpoint.
//! Replayed, its output is the end of a history.

use crate::dialects::responses::RESPONSES;
use crate::format::{Record, Sink, read_array};
use crate::history::tree::{self, EntryMarks, TreeEntry};
use crate::history::{Finding, Flags, HistorySettings, ResponseAnchor, Usage, id, time};
use crate::json::{Val, name};
use crate::message::LossKind;

use super::request;
use crate::formats::member::node_name;

/// The settings of a response that is replayed.
pub(super) fn settings(response: Val<'_>, record: &Record<'_>) -> HistorySettings {
    let settings = request::settings(response, record, Usage::Log);
    // The response names the state that its request referred to; replaying its output does not refer to it.
    let conversion_losses = repeated_settings(response, record);
    HistorySettings {
        previous: None,
        conversation: None,
        body: None,
        response: anchor(response, record),
        conversion_losses,
        ..settings
    }
}

/// Members of a request that a response repeats, and a conversion of its output loses.
const REQUEST_KEYS: [&str; 12] = [
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

fn repeated_settings(response: Val<'_>, record: &Record<'_>) -> Vec<Finding> {
    let is_default = |key: &str, val: Val<'_>| match key {
        "tool_choice" => val.is("auto"),
        "temperature" | "top_p" => matches!(val.raw(), b"1" | b"1.0"),
        "text" => val.at(&["format", "type"]).is_none_or(|kind| kind.is("text")),
        "instructions" if val.is_string() => val.as_str().is_some_and(|text| text.is_blank()),
        _ => val.is_null() || val.is_array() && val.count() == 0 || val.is_object() && val.count() == 0,
    };
    let present = REQUEST_KEYS.iter().filter_map(|key| Some((*key, response.member(*key)?)));
    let present = present.filter(|(key, member)| !member.val.is_null() && !is_default(key, member.val));
    present.map(|(_, member)| LossKind::SETTING.to_finding(record.base.of(member.val), record.number)).collect()
}

/// The node of a response in a tree, whose parent is the previous response.
pub(super) fn entry(response: Val<'_>, record: &Record<'_>) -> TreeEntry {
    let name = node_name(response, "id").unwrap_or_default();
    let mut entry = TreeEntry::new(name.clone(), record.base.of(response), record.number, tree::EntryRole::Answer);
    entry.parent = node_name(response, "previous_response_id");
    entry.model = node_name(response, "model");
    entry.store = response.get(name::store).and_then(|store| store.as_bool());
    entry.time = ["completed_at", "created_at"].iter().find_map(|key| {
        let number = std::str::from_utf8(response.get(key)?.raw()).ok()?;
        time::parse(number)
    });
    let made = id::parse_id(name.as_bytes()).time;
    entry.time = entry.time.or((made > 0).then_some(i64::from(made)));
    entry.response = (!name.is_empty()).then_some(name);
    entry.body = Some((record.base.of(response), false));
    entry.marks = EntryMarks::CHAINED;
    if ["failed", "incomplete", "cancelled"]
        .iter()
        .any(|state| response.get(name::status).is_some_and(|s| s.is(state)))
    {
        entry.marks.set(EntryMarks::FAILED);
    }
    entry
}

/// True if a value is a response with its output.
pub(super) fn is_response(val: Val<'_>) -> bool {
    val.get(name::object).is_some_and(|o| o.is("response") || o.is("response.compaction"))
        && val.get(name::output).is_some_and(|o| o.is_array())
}

/// The id of the response, to which later requests can refer.
pub(super) fn anchor(response: Val<'_>, record: &Record<'_>) -> Option<ResponseAnchor> {
    let anchor = request::anchor(response.get(name::id)?, record)?;
    let created =
        response.get(name::created_at).and_then(|time| time.as_u64()).and_then(|time| u32::try_from(time).ok());
    Some(ResponseAnchor { time: created.unwrap_or(anchor.time), ..anchor })
}

/// Reads the output of a response.
pub(super) fn read_output(response: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    if let Some(output) = response.get(name::output) {
        read_array(&RESPONSES, output, record, part, flags | Flags::RECORDED, sink);
    }
}
