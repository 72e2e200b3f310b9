//! A bare JSON array of Responses items: what an SDK's `to_input_list()` or a session's `get_items()` gives.

use crate::dialects::responses::RESPONSES;
use crate::format::{Format, FormatInfo, Histories, Mark, Part, Probe, Record, Sink, Unit, is_reference, read_array, read_slice};
use crate::history::{Flags, Kind, Settings, Usage};
use crate::json::Val;

pub struct ResponsesItems;

pub static FORMAT: ResponsesItems = ResponsesItems;

static INFO: FormatInfo = FormatInfo {
    name: "responses-items",
    title: "array of Responses items",
    told_by: "a list of objects with an item's `type`, or with `role` and `content`",
    dialect: &RESPONSES,
    target: "openai",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &[], unit: Unit::Element }],
    records_responses: false,
};

impl Format for ResponsesItems {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        list_score(probe.val)
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        if read_slice(&INFO, record, Flags::default(), sink) {
            return;
        }
        sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Request, ..Settings::default() })));
        read_array(&RESPONSES, record.val, record, 0, Flags::default(), sink);
        sink.mark(Mark::End);
    }
}

/// How surely an array is one of items: by its first elements.
pub(super) fn list_score(val: Val<'_>) -> u8 {
    if !val.is_array() {
        return 0;
    }
    let mut best = 0;
    for element in val.elements().filter(|e| e.is_object() && !is_reference(*e)).take(20) {
        match item_score(element) {
            // One element that is no item (a Chat message with tool calls, say) decides against the list.
            0 => return 0,
            score => best = best.max(score),
        }
    }
    // An empty list is a history without items, if nothing better is known about it.
    if val.count() == 0 { 5 } else { best }
}

/// Keys that items of other systems have beside a `type` or a `role` of the same name.
const OTHERS: [&str; 10] =
    ["tool_calls", "tool_call_id", "function_call", "parts", "payload", "parentId", "uuid", "stop_reason", "data", "message"];

/// How surely an object is a Responses item.
pub(super) fn item_score(val: Val<'_>) -> u8 {
    let mut kind = None;
    let mut role = None;
    let mut content = None;
    let mut only_id = true;
    for member in val.members() {
        match member.key.decode().as_ref() {
            b"type" => kind = member.val.text(),
            b"role" => role = member.val.text(),
            b"content" => content = Some(member.val),
            b"id" => continue,
            key if OTHERS.iter().any(|other| other.as_bytes() == key) => return 0,
            _ => {}
        }
        only_id &= member.key.is(b"type");
    }
    let part_types_fit = content.is_none_or(is_content);
    match kind.as_deref() {
        Some(b"message") if role.is_some() && part_types_fit => 60,
        Some(b"message") => 0,
        Some(name) if Kind::of_type(name) != Kind::Unknown => 70,
        // A type that is not known yet, among items that are.
        Some(_) => 1,
        None => match role.as_deref() {
            Some(b"user" | b"assistant" | b"system" | b"developer") if content.is_some() && part_types_fit => 40,
            Some(_) => 0,
            None if only_id && val.get("id").is_some() => 10,
            None if val.get("call_id").is_some() => 10,
            None => 0,
        },
    }
}

/// Whether message content is of the Responses kind: a text, or parts of its types.
fn is_content(content: Val<'_>) -> bool {
    content.elements().all(|part| {
        part.get("type").and_then(|t| t.text()).is_none_or(|name| {
            name.starts_with(b"input_")
                || name.starts_with(b"output_")
                || matches!(name.as_ref(), b"refusal" | b"summary_text" | b"reasoning_text" | b"computer_screenshot")
                // Anthropic and Chat have parts of this name too; the role and the other parts tell.
                || matches!(name.as_ref(), b"text" | b"encrypted_content")
        })
    })
}
