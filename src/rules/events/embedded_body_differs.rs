//! RL626: a stored request body differs from the history.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream of the older format, a request whose `body` does not match the messages that the
    /// events before it produce.
    ///
    /// ## Why it matters
    ///
    /// One of the two is wrong: events were edited, removed or late, or the client built the body in another way. The
    /// body is then the only record of what was sent, and `slim` keeps it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/input-added","payload":{"content":"hello"},"offset":2}
    /// {"type":"events.iterate.com/agent/llm-request-requested","payload":{"model":"m","body":{"messages":[{"role":"user","content":"bye"}]}},"offset":3}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: it is not known which of the two was sent. `replaylint slim FILE` reports the first message that differs.
    ///
    /// ## Evidence
    ///
    /// A client builds a request from the events before it; that old clients never sent anything else is inferred.
    EMBEDDED_BODY_DIFFERS, "embedded-body-differs", Check::External,
    [
        Variant {
            message: "the embedded body differs from the history, first in message {arg}",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
