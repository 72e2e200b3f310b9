//! Values that a trace has truncated. A finding in a history with such a value can be an artefact of the truncation.

use crate::json::Val;

/// The marks of a truncated text.
const MARKS: [&[u8]; 6] = [
    b"(litellm_truncated",
    b"litellm_truncated",
    b"...[truncated]",
    b"... [truncated]",
    b"<truncated",
    b"[TRUNCATED]",
];

/// True if some text in a value was truncated when it was stored.
pub(in crate::formats) fn is_truncated(val: Val<'_>) -> bool {
    MARKS.iter().any(|mark| memchr::memmem::find(val.raw(), mark).is_some())
}
