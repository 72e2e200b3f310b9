//! RL628: an event of a known type lacks a required field.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, an event of a known type whose payload lacks a required field: the text of a
    /// message, the offset of a request, a model.
    ///
    /// ## Why it matters
    ///
    /// The first versions of the agent stop at such an event and process no later one; newer versions skip it, and so
    /// does `replaylint`.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/input-added","payload":{"text":"hello"},"offset":2}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the intended content is not known.
    ///
    /// ## Evidence
    ///
    /// iterate's reducer behaves like this, and its tests cover the cases.
    INVALID_EVENT, "invalid-event", Check::External,
    [
        Variant {
            message: "the payload lacks a required field for an event of this type; event skipped",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
