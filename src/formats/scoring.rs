//! Scores of records, as formats share them. A score rests on keys that distinguish a format, and is 0 if there is a key
//! that its records never have: a foreign file that is repaired by the wrong rules is a damaged file.

use crate::format::is_reference;
use crate::json::{NameSet, Val};

/// Keys of records of other systems: ids, links, times and wrappers. No item, message or body of a provider's API has one.
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

/// Keys of logs and exports that contain a list of messages, but are not requests.
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

/// The maximum number of elements of a list that are examined.
pub const SAMPLE: usize = 256;

/// The likelihood that an object is an item or a message of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Likelihood {
    /// It has a key that no record of this format has.
    Foreign,
    /// Nothing indicates that it is one.
    Unknown,
    /// 1 to 100. Below [`MIN_DISTINCTIVE_SCORE`](crate::format::MIN_DISTINCTIVE_SCORE) it is one only among others that are.
    Score(u8),
}

impl Likelihood {
    /// The score of an object by itself, 0 to 100.
    pub fn score(self) -> u8 {
        match self {
            Likelihood::Score(score) => score,
            Likelihood::Foreign | Likelihood::Unknown => 0,
        }
    }
}

/// True if an object is a record of another system.
pub fn is_foreign_record(val: Val<'_>) -> bool {
    val.names().intersects(&RECORD_KEYS)
}

/// True if an object is a record of another system, or has one of these keys.
pub fn is_foreign_record_or_has(val: Val<'_>, keys: &NameSet) -> bool {
    let names = val.names();
    names.intersects(&RECORD_KEYS) || names.intersects(keys)
}

/// True if an object with messages is a log or an export of another system, not the body of a request.
pub fn is_foreign_log(val: Val<'_>) -> bool {
    is_foreign_record_or_has(val, &LOG_KEYS)
}

/// The score of an event, or of a list of them: that of the first one above `bare`, which an event has that nothing distinguishes.
pub fn score_events(val: Val<'_>, bare: u8, score: fn(Val<'_>) -> u8) -> u8 {
    match val.is_array() {
        true => val.elements().map(score).find(|score| *score > bare).unwrap_or(0),
        false => score(val),
    }
}

/// The score of a list as one of a format's objects: that of the best, if most fit and none is foreign. Elements that are
/// empty or not objects do not count here; the reader reports them.
pub fn score_list(list: Val<'_>, fit: impl Fn(Val<'_>) -> Likelihood) -> u8 {
    let (mut fitting, mut all, mut best) = (0, 0, 0);
    // `slim` replaces elements by references.
    let says = |e: &Val<'_>| e.is_object() && e.count() > 0 && !is_reference(*e);
    for element in list.elements().filter(says).take(SAMPLE) {
        all += 1;
        match fit(element) {
            Likelihood::Foreign => return 0,
            Likelihood::Unknown => {}
            Likelihood::Score(score) => {
                fitting += 1;
                best = best.max(score);
            }
        }
    }
    if fitting * 2 > all { best } else { 0 }
}
