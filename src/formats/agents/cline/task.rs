//! What the sessions of Cline and those of Roo Code and Kilo Code, which came from it, have in common: messages in the
//! manner of Anthropic's, as one array (`api_conversation_history.json`) or under `messages`.

use crate::dialects::cline::{CLINE, is_reasoning};
use crate::format::{Mark, Part, Record, Sink, Slice, Unit, around, read_item};
use crate::history::ranked::{Rank, Standing};
use crate::history::{Flags, Settings, Usage};
use crate::json::{NameSet, Val, fingerprint_of, name};
use crate::message::LossKind;

use crate::formats::claim;

/// Where the messages are.
pub(super) static PARTS: [Part; 2] =
    [Part { path: &["messages"], unit: Unit::Element }, Part { path: &[], unit: Unit::Element }];

/// What lies beside a task's messages and names them by their positions: the file, and the member that does.
pub(super) const POSITIONS: (&str, &str) = ("ui_messages.json", "conversationHistoryIndex");

/// Elements of a list that are looked at, at most.
const SAMPLE: usize = 256;

/// Members that only Roo Code and Kilo Code give a message.
static OF_ROO: NameSet = NameSet::of(&[
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

/// Members that neither gives one.
static OF_OTHERS: NameSet = NameSet::of(&[
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

/// Whose a list of messages is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Of {
    Cline,
    Roo,
}

/// Whose session a list of messages is, if it is one of theirs: messages of blocks, with the time or the model of each
/// beside; or with the tags that only they put around what the user says.
pub(super) fn writer_of(list: Val<'_>) -> Option<Of> {
    if !list.is_array() {
        return None;
    }
    let (mut timed, mut of_roo, mut described, mut tagged, mut any) = (false, false, false, 0, false);
    for message in list.elements().take(SAMPLE) {
        let is_message = is_reasoning(message) || is_message(message);
        if !is_message || claim::is_record_or(message, &OF_OTHERS) {
            return None;
        }
        any = true;
        timed |= message.get(name::ts).is_some_and(|ts| ts.as_u64().is_some());
        of_roo |= is_reasoning(message) || message.names().meets(&OF_ROO);
        described |= message.get(name::modelInfo).is_some_and(|info| info.is_object());
        tagged += tags(message);
    }
    let has_blocks = || {
        list.elements().take(SAMPLE).any(|message| message.get(name::content).is_some_and(|own| own.is_array()))
    };
    let is_own = any && has_blocks() && (timed || described || tagged >= 2);
    match (is_own, of_roo && !described) {
        (false, _) => None,
        (true, true) => Some(Of::Roo),
        (true, false) => Some(Of::Cline),
    }
}

pub(super) fn is_message(val: Val<'_>) -> bool {
    val.get(name::role).is_some_and(|role| role.is("user") || role.is("assistant"))
        && val.get(name::content).is_some_and(|content| content.is_string() || content.is_array())
}

/// How many of the user's texts begin with a tag of theirs, or with the name of a tool and its result.
fn tags(message: Val<'_>) -> usize {
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
    match record.slice {
        Slice::Element { section } => {
            if section.is_empty() || section == "messages" {
                read_message(record.val, record, u8::from(section.is_empty()), sink);
            }
        }
        Slice::Made => {}
        Slice::Whole | Slice::Head => {
            let is_list = record.val.is_array();
            let list = if is_list { Some(record.val) } else { record.val.get(name::messages) };
            let settings = Settings {
                usage: Usage::Log,
                around: around(record.val, record).filter(|_| record.slice == Slice::Whole),
                ..Settings::default()
            };
            sink.mark(Mark::Start(Box::new(settings)));
            let messages = list.filter(Val::is_array);
            for message in messages.iter().flat_map(|list| list.elements()) {
                read_message(message, record, u8::from(is_list), sink);
            }
            sink.mark(Mark::End);
        }
    }
}

/// Why a message that another one stands for is not sent.
const CONDENSED: &str = "a later summary or truncation marker stands for it";

fn read_message(message: Val<'_>, record: &Record<'_>, part: u8, sink: &mut dyn Sink) {
    if !message.is_object() {
        return;
    }
    let name = |key: &str| message.get(key).and_then(|id| id.text()).filter(|id| !id.is_empty());
    let is = |key: &str| message.get(key).is_some_and(|own| own.as_bool() == Some(true));
    let marker = name("condenseId").filter(|_| is("isSummary"));
    let marker = marker.or_else(|| name("truncationId").filter(|_| is("isTruncationMarker")));
    let parents = ["condenseParent", "truncationParent"].map(|key| name(key).map_or(0, |id| fingerprint_of(&id)));
    let standing = match parents {
        [0, 0] => Standing::Sent,
        parents => Standing::Unless(parents, CONDENSED),
    };
    if matches!(standing, Standing::Sent) {
        // Roo Code gives it back to models that want their reasoning; no other request says it.
        for key in ["reasoning_content", "reasoning_details"] {
            if let Some(thoughts) = message.get(key).filter(|thoughts| !thoughts.is_null()) {
                let lost = LossKind::REASONING.found(record.base.of(thoughts), record.number);
                sink.mark(Mark::NotConverted(lost));
            }
        }
    }
    let name = marker.map(|id| String::from_utf8_lossy(&id).into()).unwrap_or_default();
    sink.mark(Mark::Ranked(Box::new(Rank {
        number: None,
        name,
        standing,
        at: record.base.of(message),
        record: record.number,
    })));
    if let Some(model) =
        message.get(name::modelInfo).and_then(|info| info.get(name::id).or_else(|| info.get(name::modelId)))
        && let Some(model) = model.text()
    {
        let set = |settings: &mut Settings, model| settings.model = Some(model);
        sink.mark(Mark::Settings(set, String::from_utf8_lossy(&model).into()));
    }
    read_item(&CLINE, message, record, part, Flags::default(), sink);
}
