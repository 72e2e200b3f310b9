//! RL622: an event stream has an output of a cancelled request.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, an output of a request that was cancelled before.
    ///
    /// ## Why it matters
    ///
    /// The user interrupted the request, and no later request contains its output: it was paid for, and perhaps shown,
    /// but the model does not see it.
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
    /// None needed: it is not part of the history.
    ///
    /// ## Evidence
    ///
    /// iterate's reducer behaves like this, and its tests cover the cases.
    OUTPUT_AFTER_CANCEL, "output-after-cancel", Check::External,
    [
        Variant {
            message: "output of the request at offset {arg}, which was cancelled; not part of the history",
            related: "the request",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
