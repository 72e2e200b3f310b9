//! RL403: reasoning has no list of summaries.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning items without `summary`, or with one that is not a list.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Missing required parameter: 'input[1].summary'.
    ///
    /// It happens when a client stores only the blob, or omits empty lists.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"reasoning","id":"rs_1","encrypted_content":"gAAA"}
    /// ```
    ///
    /// ## Fix
    ///
    /// An empty list is added: there was nothing to summarise. A value of another type is replaced by an empty
    /// list, and lost.
    ///
    /// ## Evidence
    ///
    /// Reported: opencodex#4673, OmniRoute#11129, Operit#809, Agora#141; the schema requires it. No recorded
    /// accepted request lacks it.
    MISSING_SUMMARY, "missing-summary" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{type} {any_id} has no summary",
            api: Some("Missing required parameter: 'input[{index}].summary'."),
            evidence: Evidence::Reported,
            fix: "add an empty summary",
            loss: Loss::Lossless,
            error: ErrorDetails { param: Some("input[{index}].summary"), ..ErrorDetails::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "the summary of {type} {any_id} is not a list",
            evidence: Evidence::Documented,
            fix: "replace it with an empty summary",
            ..Variant::BASE
        },
    ]
}
