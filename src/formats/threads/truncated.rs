//! Traces shorten long values. What is found in a history with such a value may only be the trace of it.

use crate::json::Val;

/// What those who shorten a text leave in its place.
const MARKS: [&[u8]; 6] = [
    b"(litellm_truncated",
    b"litellm_truncated",
    b"...[truncated]",
    b"... [truncated]",
    b"<truncated",
    b"[TRUNCATED]",
];

/// Whether some text in a value was cut off by the one that stored it.
pub(in crate::formats) fn is_truncated(val: Val<'_>) -> bool {
    MARKS.iter().any(|mark| memchr::memmem::find(val.raw(), mark).is_some())
}
