//! Reading of messages in sessions of Cline and of its forks Roo Code and Kilo Code: messages like Anthropic's, as one array
//! (`api_conversation_history.json`) or under `messages`.

use crate::dialects::cline::{CLINE, is_reasoning};
use crate::format::{Mark, Record, RecordPart, RemovalUnit, Sink, read_item, request_body};
use crate::history::ranked_order::{Rank, SendStatus};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{NameSet, Val, fingerprint_of, name};
use crate::message::LossKind;

use crate::formats::scoring;

/// Paths of the messages.
pub(super) static PARTS: [RecordPart; 2] = [
    RecordPart { path: &["messages"], unit: RemovalUnit::Element },
    RecordPart { path: &[], unit: RemovalUnit::Element },
];

/// The file next to a task's messages that refers to them by position, and its member with the position.
pub(super) const POSITIONS: (&str, &str) = ("ui_messages.json", "conversationHistoryIndex");

/// Maximum number of elements of a list that detection reads.
const SAMPLE: usize = 256;

/// Members of messages that only Roo Code and Kilo Code write.
static ROO_MEMBERS: NameSet = NameSet::of(&[
    "isSummary",
    "condenseId",
    "condenseParent",
    "isTruncationMarker",
    "truncationId",
    "truncationParent",
    "reasoning_content",
    "reasoning_details",
    "encrypted_content",
]);

/// Members of messages that none of the three writes.
static FOREIGN_MEMBERS: NameSet = NameSet::of(&[
    "parts",
    "message",
    "messages",
    "tool_calls",
    "tool_call_id",
    "timestamp",
    "created",
    "createdAt",
    "stopReason",
    "data",
    "ask",
]);

/// The agent that wrote a list of messages. `Roo` includes Kilo Code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TaskAgent {
    Cline,
    Roo,
}

/// The agent that wrote a list of messages; `None` if it is none of these. They write messages of blocks with the time or the
/// model of each, or with tags of their own around user texts.
pub(super) fn agent_of(list: Val<'_>) -> Option<TaskAgent> {
    if !list.is_array() {
        return None;
    }
    let (mut timed, mut of_roo, mut described, mut tagged, mut any) = (false, false, false, 0, false);
    for message in list.elements().take(SAMPLE) {
        let is_message = is_reasoning(message) || is_message(message);
        if !is_message || scoring::is_foreign_record_or_has(message, &FOREIGN_MEMBERS) {
            return None;
        }
        any = true;
        timed |= message.get(name::ts).is_some_and(|ts| ts.as_u64().is_some());
        of_roo |= is_reasoning(message) || message.names().intersects(&ROO_MEMBERS);
        described |= message.get(name::modelInfo).is_some_and(|info| info.is_object());
        tagged += count_tags(message);
    }
    let has_blocks = || {
        list.elements().take(SAMPLE).any(|message| message.get(name::content).is_some_and(|own| own.is_array()))
    };
    let is_own = any && has_blocks() && (timed || described || tagged >= 2);
    match (is_own, of_roo && !described) {
        (false, _) => None,
        (true, true) => Some(TaskAgent::Roo),
        (true, false) => Some(TaskAgent::Cline),
    }
}

pub(super) fn is_message(val: Val<'_>) -> bool {
    val.get(name::role).is_some_and(|role| role.is("user") || role.is("assistant"))
        && val.get(name::content).is_some_and(|content| content.is_string() || content.is_array())
}

/// Number of user texts that begin with one of their tags, or with the name of a tool and its result.
fn count_tags(message: Val<'_>) -> usize {
    if !message.get(name::role).is_some_and(|role| role.is("user")) {
        return 0;
    }
    let is_tagged = |block: &Val<'_>| {
        let text = block.get(name::text).and_then(|text| text.text()).unwrap_or_default();
        let result = text.starts_with(b"[") && text.ends_with(b"] Result:");
        result || text.starts_with(b"<task>\n") || text.starts_with(b"<environment_details>\n")
    };
    message.get(name::content).into_iter().flat_map(|content| content.elements()).filter(is_tagged).count()
}

pub(super) fn read(record: &Record<'_>, sink: &mut dyn Sink) {
    let is_list = record.val.is_array();
    let list = if is_list { Some(record.val) } else { record.val.get(name::messages) };
    let body = request_body(record.val, record);
    sink.mark(Mark::Start(Box::new(HistorySettings { usage: Usage::Log, body, ..HistorySettings::default() })));
    for message in list.filter(Val::is_array).iter().flat_map(|list| list.elements()) {
        read_message(message, record, u8::from(is_list), sink);
    }
    sink.mark(Mark::End);
}

/// Why a condensed or truncated message is not sent.
const CONDENSED: &str = "a later summary or truncation marker replaces it";

fn read_message(message: Val<'_>, record: &Record<'_>, part: u8, sink: &mut dyn Sink) {
    if !message.is_object() {
        return;
    }
    let name = |key: &str| message.get(key).and_then(|id| id.text()).filter(|id| !id.is_empty());
    let is = |key: &str| message.get(key).is_some_and(|own| own.as_bool() == Some(true));
    let is_inserted = is("isSummary") || is("isTruncationMarker");
    let marker = name("condenseId").filter(|_| is("isSummary"));
    let marker = marker.or_else(|| name("truncationId").filter(|_| is("isTruncationMarker")));
    let parents = ["condenseParent", "truncationParent"].map(|key| name(key).map_or(0, |id| fingerprint_of(&id)));
    let status = match parents {
        [0, 0] => SendStatus::Sent,
        parents => SendStatus::Unless(parents, CONDENSED),
    };
    if matches!(status, SendStatus::Sent) {
        // Roo Code sends it back to models that want their reasoning; other requests do not contain it.
        for key in ["reasoning_content", "reasoning_details"] {
            if let Some(thoughts) = message.get(key).filter(|thoughts| !thoughts.is_null()) {
                sink.mark(Mark::not_converted(LossKind::REASONING, record.base.of(thoughts), record.number));
            }
        }
    }
    let name = marker.map(|id| String::from_utf8_lossy(&id).into()).unwrap_or_default();
    sink.mark(Mark::Ranked(Box::new(Rank {
        number: None,
        name,
        status,
        at: record.base.of(message),
        record: record.number,
    })));
    if let Some(model) =
        message.get(name::modelInfo).and_then(|info| info.get(name::id).or_else(|| info.get(name::modelId)))
        && let Some(model) = model.text()
    {
        let set = |settings: &mut HistorySettings, model| settings.model = Some(model);
        sink.mark(Mark::Settings(set, String::from_utf8_lossy(&model).into()));
    }
    let flags = if is_inserted { Flags::INSERTED } else { Flags::default() };
    read_item(&CLINE, message, record, part, flags, sink);
}
