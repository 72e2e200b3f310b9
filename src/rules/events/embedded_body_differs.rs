//! RL626: a stored request body is not what its history says.

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
    /// One of the two is not what happened: events were edited, removed or came late, or the client that wrote the body worked
    /// otherwise. The body is then the only witness of what was sent, and `slim` keeps it.
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
    /// A request is what the events up to its own reduce to in the client; that old clients never sent anything else is a conclusion. No text of the API was seen.
    EMBEDDED_BODY_DIFFERS, "embedded-body-differs", Check::Raised,
    [
        Variant {
            message: "the embedded body differs from the history, first in message {arg}",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
