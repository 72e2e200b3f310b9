//! A bare JSON array of Responses items, as an SDK's `to_input_list()` or a session's `get_items()` returns it.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, MIN_DISTINCTIVE_SCORE, Mark, Probe, Record, RecordPart, RemovalUnit,
    Sink, Upstream, read_array, read_slice,
};
use crate::history::{Flags, HistorySettings, Kind, Usage};
use crate::json::{NameSet, Val, name};

use crate::formats::scoring;
use crate::formats::scoring::Likelihood;

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
    histories: HistoryScope::PerRecord,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Element }],
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
    sink.mark(Mark::Start(Box::new(HistorySettings { usage: Usage::Request, ..HistorySettings::default() })));
    read_array(&RESPONSES, record.val, record, 0, Flags::default(), sink);
    sink.mark(Mark::End);
}

/// The score of a value as an array of items.
pub(in crate::formats) fn list_score(val: Val<'_>) -> u8 {
    if !val.is_array() {
        return 0;
    }
    match scoring::score_list(val, item_likelihood) {
        // Without the type of an item, messages with parts of type `text` are of another API.
        score @ ..=UNTYPED
            if val.elements().take(scoring::SAMPLE).any(|own| own.get(name::content).is_some_and(has_texts)) =>
        {
            score.min(1)
        }
        score => score,
    }
}

/// The score of a role and content without a type.
const UNTYPED: u8 = 40;

/// Keys that objects of other systems have next to a `type` or a `role` of the same name.
static FOREIGN_KEYS: NameSet = NameSet::of(&[
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

/// The likelihood that an object is a Responses item: by its type and the members that it requires, or by role and content.
pub(in crate::formats) fn item_likelihood(val: Val<'_>) -> Likelihood {
    let (mut kind, mut role, mut content) = (None, None, None);
    let mut id = None;
    let (mut call_id, mut timed, mut reasoned) = (false, false, false);
    for (name, val) in val.named_members() {
        match name {
            name::r#type => kind = val.text(),
            name::role => role = val.text(),
            name::content => content = Some(val),
            name::id => id = val.text(),
            name::call_id => call_id = true,
            name::timestamp => timed = true,
            name::summary | name::encrypted_content => reasoned = true,
            _ if FOREIGN_KEYS.has(name) || scoring::RECORD_KEYS.has(name) => return Likelihood::Foreign,
            _ => {}
        }
    }
    if !content.is_none_or(is_content) {
        return Likelihood::Foreign;
    }
    match kind.as_deref() {
        Some(b"message") if role.is_some() && content.is_some() => Likelihood::Score(60),
        Some(b"message") => Likelihood::Unknown,
        Some(b"reasoning") if !reasoned && content.is_none() => Likelihood::Unknown,
        Some(b"compaction" | b"compaction_summary") if !reasoned => Likelihood::Unknown,
        Some(name) if Kind::of_type(name) != Kind::Unknown => Likelihood::Score(70),
        // A type that is not known yet, among known items.
        Some(_) => Likelihood::Score(1),
        // Codex writes a time next to an item's type; a role with a time is a line of another log.
        None if timed => Likelihood::Foreign,
        None => match role.as_deref() {
            // Parts of type `text` are Chat's or Anthropic's; among items they can be a mistake.
            Some(b"user" | b"assistant" | b"system" | b"developer") if content.is_some_and(has_texts) => {
                Likelihood::Score(1)
            }
            Some(b"user" | b"assistant" | b"system" | b"developer") if content.is_some() => {
                Likelihood::Score(UNTYPED)
            }
            // The content is missing.
            Some(b"user" | b"assistant" | b"system" | b"developer") => Likelihood::Score(1),
            Some(_) => Likelihood::Unknown,
            // A bare reference: the API knows its own ids.
            None if val.count() == 1 && id.as_ref().is_some_and(|id| Kind::of_id(id) != Kind::Unknown) => {
                Likelihood::Score(MIN_DISTINCTIVE_SCORE)
            }
            None if id.is_some() || call_id => Likelihood::Score(10),
            None => Likelihood::Unknown,
        },
    }
}

fn has_texts(content: Val<'_>) -> bool {
    content.elements().any(|part| part.get(name::r#type).is_some_and(|kind| kind.is("text")))
}

/// True if a content is one of Responses: a string, or parts of its types.
fn is_content(content: Val<'_>) -> bool {
    content.elements().all(|part| {
        part.get(name::r#type).and_then(|t| t.text()).is_none_or(|name| {
            name.starts_with(b"input_")
                || name.starts_with(b"output_")
                || matches!(name.as_ref(), b"refusal" | b"summary_text" | b"reasoning_text" | b"computer_screenshot")
                // Anthropic and Chat have parts with these names, too; the role and the other parts decide.
                || matches!(name.as_ref(), b"text" | b"encrypted_content")
        })
    })
}
