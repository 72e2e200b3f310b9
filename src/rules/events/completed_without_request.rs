//! RL624: an event names a request that is not in the stream.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, the completion or the output of a request that is not in the stream.
    ///
    /// ## Why it matters
    ///
    /// The stream was cut, or merged from several: the content of the request cannot be rebuilt, and no later request
    /// contains its output, because it never was the current one.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/llm-request-completed","payload":{"llmRequestId":3,"provider":"cloudflare-ai","durationMs":900,"result":{"status":"success"}},"offset":5}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the request is not in the file.
    ///
    /// ## Evidence
    ///
    /// iterate's own reader finds a request only by its offset.
    COMPLETED_WITHOUT_REQUEST, "completed-without-request", Check::External,
    [
        Variant {
            message: "the completed request is not in the stream",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "output of the request at offset {arg}, which is not in the stream; not part of the history",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
