//! RL602: entries follow each other in a circle.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds entries whose parents form a cycle.
    ///
    /// ## Why it matters
    ///
    /// A reader that walks from the last entry to the first never ends, or stops somewhere. `replaylint` cuts the circle
    /// above the entry that is stored first, and goes on.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"user","uuid":"u1","parentUuid":"a1","message":{"role":"user","content":"hello"}}
    /// {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"role":"assistant","content":[]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: it is not known which of the links is wrong.
    ///
    /// ## Evidence
    ///
    /// Inferred: no order of these entries agrees with their links. No API sees them.
    CYCLE, "cycle", Check::Raised,
    [
        Variant {
            message: "the parents of the entry form a cycle; it is read as the first entry",
            related: "the parent that it names",
            levels: Levels::ERROR,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
