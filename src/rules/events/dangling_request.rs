//! RL620: a request of an event stream has no end.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, a request that was neither completed nor cancelled before the next one or the end
    /// of the stream.
    ///
    /// ## Why it matters
    ///
    /// Whoever carried the request out may have died with it. An agent that starts again finds such requests and makes them
    /// once more, so that one is paid for, and may act, twice. A request that the stream ends in may also just be running.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/llm-request-requested","payload":{"model":"m"},"offset":3}
    /// {"type":"events.iterate.com/agent/input-added","payload":{"content":"hello?"},"offset":4}
    /// {"type":"events.iterate.com/agent/llm-request-requested","payload":{"model":"m"},"offset":5}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the response is not in the file. `replaylint rebuild --at OFFSET FILE` prints the request.
    ///
    /// ## Evidence
    ///
    /// iterate takes requests that were started and have no end for candidates of a recovery. No text of the API was seen.
    DANGLING_REQUEST, "dangling-request", Check::Raised,
    [
        Variant {
            message: "the request at offset {arg} was neither completed nor cancelled before the next one",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the stream ends before the request at offset {arg} is completed",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
