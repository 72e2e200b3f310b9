//! RL627: an event stream holds events of unknown types.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Counts the events of unknown type in an event stream, and reports them once per file, at the first of them.
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
    627, "unknown-event", Check::Raised,
    [
        Variant {
            message: "skipped {arg} events of unknown types; this is the first",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
