//! RL602: the parents of entries form a cycle.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds entries whose parents form a cycle.
    ///
    /// ## Why it matters
    ///
    /// A reader that follows the links from the last entry upwards never ends, or stops at an arbitrary entry.
    /// `replaylint` cuts the cycle before the entry that is stored first.
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
    /// Inferred: no order of these entries is consistent with their links. No API sees them.
    CYCLE, "cycle", Check::External,
    [
        Variant {
            message: "the parents of this entry form a cycle; it is read as the first entry",
            related: "its parent",
            levels: Levels::ERROR,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
