//! A bare JSON array of Responses items: what an SDK's `to_input_list()` or a session's `get_items()` gives.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, TELLING, Unit, Upstream, read_array,
    read_slice,
};
use crate::history::{Flags, Kind, Settings, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::claim;
use crate::formats::claim::Fit;

pub struct ResponsesItems;

pub static FORMAT: ResponsesItems = ResponsesItems;

static INFO: FormatInfo = FormatInfo {
    name: "responses-items",
    title: "array of Responses items",
    upstream: Some(Upstream {
        repository: "openai/openai-python",
        file: Some("src/openai/types/responses"),
        version: Some("3.54.0"),
    }),
    known_by: "a list of objects with an item's `type`, or with `role` and `content`",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &[], unit: Unit::Element }],
    ..FormatInfo::of(&RESPONSES, "openai")
};

impl Format for ResponsesItems {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        list_score(probe.val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if read_slice(&INFO, record, Flags::default(), sink) {
        return;
    }
    sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Request, ..Settings::default() })));
    read_array(&RESPONSES, record.val, record, 0, Flags::default(), sink);
    sink.mark(Mark::End);
}

/// How surely an array is one of items.
pub(in crate::formats) fn list_score(val: Val<'_>) -> u8 {
    if val.is_array() { claim::most(val, item_fit) } else { 0 }
}

/// Keys that objects of other systems have beside a `type` or a `role` of the same name.
static OTHERS: NameSet = NameSet::of(&[
    "additional_kwargs",
    "created",
    "data",
    "event",
    "function_call",
    "kwargs",
    "lc",
    "message",
    "parts",
    "payload",
    "session_id",
    "snapshot",
    "state",
    "stop_reason",
    "time",
    "tool",
    "tool_call_id",
    "tool_calls",
    "ts",
    "weight",
]);

/// How surely an object is a Responses item: by its type and what that type demands, or by role and content.
pub(in crate::formats) fn item_fit(val: Val<'_>) -> Fit {
    let (mut kind, mut role, mut content) = (None, None, None);
    let mut id = None;
    let (mut call_id, mut timed, mut reasoned) = (false, false, false);
    for (name, val) in val.named() {
        match name {
            name::r#type => kind = val.text(),
            name::role => role = val.text(),
            name::content => content = Some(val),
            name::id => id = val.text(),
            name::call_id => call_id = true,
            name::timestamp => timed = true,
            name::summary | name::encrypted_content => reasoned = true,
            _ if OTHERS.has(name) || claim::RECORD_KEYS.has(name) => return Fit::Strange,
            _ => {}
        }
    }
    if !content.is_none_or(is_content) {
        return Fit::Strange;
    }
    match kind.as_deref() {
        Some(b"message") if role.is_some() && content.is_some() => Fit::Likely(60),
        Some(b"message") => Fit::Unknown,
        Some(b"reasoning") if !reasoned && content.is_none() => Fit::Unknown,
        Some(b"compaction" | b"compaction_summary") if !reasoned => Fit::Unknown,
        Some(name) if Kind::of_type(name) != Kind::Unknown => Fit::Likely(70),
        // A type that is not known yet, among items that are.
        Some(_) => Fit::Likely(1),
        // Codex writes a time beside an item's type; a role with a time is a line of somebody's log.
        None if timed => Fit::Strange,
        None => match role.as_deref() {
            // Parts of type `text` are Chat's or Anthropic's; among items they may be a mistake.
            Some(b"user" | b"assistant" | b"system" | b"developer") if content.is_some_and(has_texts) => {
                Fit::Likely(1)
            }
            Some(b"user" | b"assistant" | b"system" | b"developer") if content.is_some() => Fit::Likely(40),
            // Something is missing in it.
            Some(b"user" | b"assistant" | b"system" | b"developer") => Fit::Likely(1),
            Some(_) => Fit::Unknown,
            // A bare reference: the API knows its own ids.
            None if val.count() == 1 && id.as_ref().is_some_and(|id| Kind::of_id(id) != Kind::Unknown) => {
                Fit::Likely(TELLING)
            }
            None if id.is_some() || call_id => Fit::Likely(10),
            None => Fit::Unknown,
        },
    }
}

fn has_texts(content: Val<'_>) -> bool {
    content.elements().any(|part| part.get(name::r#type).is_some_and(|kind| kind.is("text")))
}

/// Whether message content is of the Responses kind: a text, or parts of its types.
fn is_content(content: Val<'_>) -> bool {
    content.elements().all(|part| {
        part.get(name::r#type).and_then(|t| t.text()).is_none_or(|name| {
            name.starts_with(b"input_")
                || name.starts_with(b"output_")
                || matches!(name.as_ref(), b"refusal" | b"summary_text" | b"reasoning_text" | b"computer_screenshot")
                // Anthropic and Chat have parts of this name too; the role and the other parts tell.
                || matches!(name.as_ref(), b"text" | b"encrypted_content")
        })
    })
}
