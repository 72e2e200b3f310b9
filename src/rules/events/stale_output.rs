//! RL621: an event stream has an output of a request that was no longer current.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, an output of a request that is not the current one: another was scheduled or started
    /// in the meantime, or it was already completed.
    ///
    /// ## Why it matters
    ///
    /// The agent ignores such an output: no later request contains it, although it is in the stream. It is not part of
    /// the history that `replaylint` checks and `rebuild` prints.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/llm-request-requested","payload":{"model":"m"},"offset":3}
    /// {"type":"events.iterate.com/agent/llm-request-requested","payload":{"model":"m"},"offset":5}
    /// {"type":"events.iterate.com/agent/output-added","payload":{"content":"…","llmRequestId":3},"offset":6}
    /// ```
    ///
    /// ## Fix
    ///
    /// None needed: it is not part of the history.
    ///
    /// ## Evidence
    ///
    /// iterate's reducer behaves like this, and its tests cover the cases.
    STALE_OUTPUT, "stale-output", Check::External,
    [
        Variant {
            message: "output of the request at offset {arg}, which was not the current one; not part of the history",
            related: "the current request",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "output of the request at offset {arg}, which had ended; not part of the history",
            related: "the request",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
