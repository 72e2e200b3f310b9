//! RL419: a message that is not from the assistant has a phase, or a phase is unknown.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds `phase` on user, system and developer messages, and phases other than `commentary` and `final_answer`.
    ///
    /// ## Why it matters
    ///
    /// By the schema, only assistant messages have a phase; elsewhere it is an unknown parameter. A missing phase is
    /// never rejected, only worse for the model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"user","content":"Hi","phase":"commentary"}
    /// ```
    ///
    /// ## Fix
    ///
    /// Off by default. With `--fix-warnings` the phase is removed.
    ///
    /// ## Evidence
    ///
    /// Documented in the official schema; the API's error is not known. 17 recorded answers have one of the two.
    MISPLACED_PHASE, "misplaced-phase" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "a message that is not from the assistant has a phase",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "remove the phase",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "unknown phase {value}",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "remove the phase",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
