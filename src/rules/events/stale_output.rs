//! RL621: an output of an event stream came for a request that was not current any more.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, an output of a request that is not the current one: another was scheduled or made
    /// in the meantime, or it was already completed.
    ///
    /// ## Why it matters
    ///
    /// The agent ignores such an output: no later request sends it, although it is in the stream. The
    /// history that is checked here, and that `rebuild` prints, leaves it out as well.
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
    /// None needed: the history leaves it out.
    ///
    /// ## Evidence
    ///
    /// iterate's reducer works so, and its tests name the cases. No text of the API was seen.
    STALE_OUTPUT, "stale-output", Check::Raised,
    [
        Variant {
            message: "output of the request at offset {arg}, which was not the current one; left out of the \
                      history",
            related: "the current request",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "output of the request at offset {arg}, which had ended; left out of the history",
            related: "the request",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
