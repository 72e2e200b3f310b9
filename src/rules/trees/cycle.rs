//! RL602: the parents of entries form a cycle.

use crate::rule::{Check, Evidence, Loss, Variant};
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
    /// In a session of pi, where each entry is written after its parent, the entry is linked to the nearest earlier one. Elsewhere
    /// none: it is not known which of the links is wrong.
    ///
    /// ## Evidence
    ///
    /// Recorded: pi 0.74 sends no request, and does not end. For others inferred: no order of these entries is consistent with
    /// their links. No API sees them.
    CYCLE, "cycle", Check::External,
    [
        Variant {
            message: "the parents of this entry form a cycle; it is read as the first entry",
            related: "its parent",
            levels: Levels::ERROR,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "the parents of this entry form a cycle, so the agent never opens the session",
            levels: Levels::ERROR,
            evidence: Evidence::Recorded,
            fix: "link it to the nearest earlier entry",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
