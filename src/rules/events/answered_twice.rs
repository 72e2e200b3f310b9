//! RL623: a request of an event stream has two outputs.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, a second output of one request.
    ///
    /// ## Why it matters
    ///
    /// One answer of a model is in the history twice, or two where one was requested: two instances carried the request
    /// out, or one that started again did not see that it was done.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/llm-request-requested","payload":{"model":"m"},"offset":3}
    /// {"type":"events.iterate.com/agent/output-added","payload":{"content":"…","llmRequestId":3},"offset":4}
    /// {"type":"events.iterate.com/agent/output-added","payload":{"content":"…","llmRequestId":3},"offset":5}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: it is not known which of the two was meant.
    ///
    /// ## Evidence
    ///
    /// iterate checks that a request is current before it appends its output, but not in one step, so two may come. No text of the API was seen.
    ANSWERED_TWICE, "answered-twice", Check::Raised,
    [
        Variant {
            message: "duplicate output: the request at offset {arg} already has one",
            related: "the first output",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
