//! RL419: a message that is no answer has a phase, or an answer an unknown one.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds `phase` on user, system and developer messages, and phases other than `commentary` and `final_answer`.
    ///
    /// ## Why it matters
    ///
    /// Only messages of the assistant have a phase, so another one is an unknown parameter by the schema. A
    /// missing phase is never rejected, only worse for the model.
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
    /// Documented in the official schema; no text of the API was seen. 17 recorded answers carry one of the
    /// two.
    MISPLACED_PHASE, "misplaced-phase" of "responses" about [Field], Check::Raised,
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
