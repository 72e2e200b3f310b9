//! RL627: an event stream holds events of unknown types.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Names each unknown type of event in an event stream once, at the first of its events, with their number.
    ///
    /// ## Why it matters
    ///
    /// They are passed over, as the agent does with types that it does not know. If one of them says something to the model,
    /// the history that is checked here misses it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/memory-recalled","payload":{"text":"…"},"offset":7}
    /// ```
    ///
    /// ## Fix
    ///
    /// None needed.
    ///
    /// ## Evidence
    ///
    /// iterate's reducer works so, and its tests name the cases. No text of the API was seen.
    UNKNOWN_EVENT, "unknown-event", Check::Raised,
    [
        Variant {
            message: "unknown event type {type}: skipped ({arg} in the stream, the first is here)",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
