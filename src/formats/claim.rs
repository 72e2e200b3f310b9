//! What formats share when they claim a document. A claim rests on keys that tell a format apart, and ends where a key
//! stands that its records never have: a foreign file that is repaired by the wrong rules is a damaged file.

use crate::format::is_reference;
use crate::json::{NameSet, Val};

/// Keys by which other systems link, time or wrap their records. No item, message or body of a provider's API has one.
pub(super) static RECORD_KEYS: NameSet = NameSet::of(&[
    "parentId",
    "parentUuid",
    "parent_uuid",
    "sessionID",
    "sessionId",
    "messageID",
    "uuid",
    "callID",
    "toolCallId",
    "toolInvocations",
    "tool_results",
    "projectHash",
    "traceId",
    "say",
]);

/// Keys of logs and exports that hold a list of messages without being a request.
static LOG_KEYS: NameSet = NameSet::of(&[
    "call_type",
    "chat_messages",
    "createdAt",
    "current_node",
    "has_more",
    "kwargs",
    "last_updated",
    "message_count",
    "platform",
    "proxy_server_request",
    "queued_messages",
    "raw_messages",
    "session_start",
    "system_prompt",
    "trace_id",
    "updatedAt",
    "updated_at",
]);

/// Elements of a list that are looked at, at most.
const SAMPLE: usize = 256;

/// How surely an object is an item or a message of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fit {
    /// It carries what a record of this format never has.
    Strange,
    /// Nothing says that it is one.
    Unknown,
    /// 1 to 100; below [`TELLING`](crate::format::TELLING) it may be one among others that are.
    Likely(u8),
}

impl Fit {
    /// The score of an object by itself.
    pub fn score(self) -> u8 {
        match self {
            Fit::Likely(score) => score,
            Fit::Strange | Fit::Unknown => 0,
        }
    }
}

/// Whether an object is a record of another system.
pub fn is_record(val: Val<'_>) -> bool {
    val.names().meets(&RECORD_KEYS)
}

/// Whether an object is a record of another system, or has one of these keys.
pub fn is_record_or(val: Val<'_>, keys: &NameSet) -> bool {
    let names = val.names();
    names.meets(&RECORD_KEYS) || names.meets(keys)
}

/// Whether an object that holds messages is a log or an export of another system, not the body of a request.
pub fn is_log(val: Val<'_>) -> bool {
    is_record_or(val, &LOG_KEYS)
}

/// How surely a list is one of a format's objects: the best of them, if most fit and none is strange. What is empty or no
/// object says nothing here; the reader reports it.
pub fn most(list: Val<'_>, fit: impl Fn(Val<'_>) -> Fit) -> u8 {
    let (mut fitting, mut all, mut best) = (0, 0, 0);
    // A list that `slim` went over holds references in the place of elements.
    let says = |e: &Val<'_>| e.is_object() && e.count() > 0 && !is_reference(*e);
    for element in list.elements().filter(says).take(SAMPLE) {
        all += 1;
        match fit(element) {
            Fit::Strange => return 0,
            Fit::Unknown => {}
            Fit::Likely(score) => {
                fitting += 1;
                best = best.max(score);
            }
        }
    }
    if fitting * 2 > all { best } else { 0 }
}
