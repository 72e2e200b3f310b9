//! RL628: an event of a known type does not say what it must.

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
    /// The first versions of the agent stop at such an event, and with them the whole stream; later ones pass over it, and so
    /// does the history here.
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
    /// iterate's reducer works so, and its tests name the cases. No text of the API was seen.
    INVALID_EVENT, "invalid-event", Check::Raised,
    [
        Variant {
            message: "the payload lacks a required field for an event of this type; event skipped",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
