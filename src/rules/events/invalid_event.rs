//! RL628: an event of a known type that its agent does not read.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, an event of a known type whose payload lacks a required field: the text of a
    /// message, the offset of a request, a model; and an item of the context that the contract of the next request does
    /// not read, such as one with an unknown member, or a summary that replaces events after itself.
    ///
    /// ## Why it matters
    ///
    /// The first versions of the agent stop at such an event and process no later one; newer versions skip it without a
    /// word: what it says is in no request. `replaylint` skips it, too.
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
        Variant {
            message: "the agent skips this item without a word: its payload does not fit the contract; no request contains it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
