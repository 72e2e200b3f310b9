//! RL625: the offsets of an event stream do not increase.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in an event stream, an event whose offset is missing or not greater than the previous one.
    ///
    /// ## Why it matters
    ///
    /// A request is identified by its offset, and consists of everything before it: if offsets decrease or repeat,
    /// neither is certain. `slim` and `rebuild` reject such a stream.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"events.iterate.com/agent/input-added","payload":{"content":"a"},"offset":5}
    /// {"type":"events.iterate.com/agent/input-added","payload":{"content":"b"},"offset":4}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the order of the events is not known.
    ///
    /// ## Evidence
    ///
    /// The store assigns the offsets, increasing by one for each event.
    OFFSETS_NOT_INCREASING, "offsets-not-increasing", Check::External,
    [
        Variant {
            message: "offset {arg} is not greater than the previous one",
            related: "the previous event",
            levels: Levels::ERROR,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "the event has no offset",
            levels: Levels::ERROR,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
