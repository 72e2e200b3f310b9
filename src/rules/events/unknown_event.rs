//! RL627: an event stream contains events of unknown types.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports each unknown event type of an event stream once, at its first event, with the number of events.
    ///
    /// ## Why it matters
    ///
    /// They are skipped, as the agent skips types that it does not know. If one of them is sent to the model, the
    /// checked history lacks it.
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
    /// iterate's reducer behaves like this, and its tests cover the cases.
    UNKNOWN_EVENT, "unknown-event", Check::External,
    [
        Variant {
            message: "unknown event type {type}: skipped ({arg} in the stream, first one here)",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
