//! RL623: a request of an event stream has two outputs, or two ends.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, a second output of one request, or a second end of it.
    ///
    /// ## Why it matters
    ///
    /// The history has an answer of the model twice, or two answers to one request: two instances executed the request,
    /// or a restarted one did not see that it was done.
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
    /// iterate gives all ends of a request one idempotency key, so a second one is a fault. It checks that a request is
    /// current before it appends its output, but not in one step, so two may be appended.
    ANSWERED_TWICE, "answered-twice", Check::External,
    [
        Variant {
            message: "duplicate output: the request at offset {arg} already has one",
            related: "the first output",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "the request at offset {arg} ends twice",
            related: "the first end",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
