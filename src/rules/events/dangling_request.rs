//! RL620: a request of an event stream has no end.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, a request that was neither completed nor cancelled before the next one or the end
    /// of the stream. A last request that has not expired is in flight, and is not reported.
    ///
    /// ## Why it matters
    ///
    /// The process that executed the request may have crashed. A restarted agent finds such requests and sends them
    /// again, so that one is paid for, and may act, twice. The last request of a stream may also still be running.
    /// From contract version 5 on, no other request is sent while one is open: those that were swallowed are counted.
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
    /// iterate treats requests that were started and have no end as candidates for recovery.
    DANGLING_REQUEST, "dangling-request", Check::External,
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
        Variant {
            message: "the request never ended, so {arg} later requests were not sent",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
