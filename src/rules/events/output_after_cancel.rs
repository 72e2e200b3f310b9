//! RL622: an output of an event stream came for a request that was cancelled.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, an output of a request that was cancelled before.
    ///
    /// ## Why it matters
    ///
    /// The user interrupted the request, and what came of it nevertheless is in no later request: it was paid for, and perhaps
    /// shown, but the model does not know that it said it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/llm-request-requested","payload":{"model":"m"},"offset":3}
    /// {"type":"events.iterate.com/agent/llm-request-cancelled","payload":{"phase":"requested","llmRequestId":3,"reason":"interrupted-by-user-input"},"offset":4}
    /// {"type":"events.iterate.com/agent/output-added","payload":{"content":"…","llmRequestId":3},"offset":5}
    /// ```
    ///
    /// ## Fix
    ///
    /// None needed: the history leaves it out.
    ///
    /// ## Evidence
    ///
    /// iterate's reducer works so, and its tests name the cases. No text of the API was seen.
    OUTPUT_AFTER_CANCEL, "output-after-cancel", Check::Raised,
    [
        Variant {
            message: "output of the request at offset {arg}, which was cancelled; left out of the history",
            related: "the request",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
