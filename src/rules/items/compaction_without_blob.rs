//! RL416: a compaction has lost its blob.

use crate::rule::{Check, Evidence, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds compaction items whose `encrypted_content` is missing, null or empty.
    ///
    /// ## Why it matters
    ///
    /// The blob is all that remains of the history before it. The server rejects the item with HTTP 400:
    ///
    /// > Missing required parameter: 'input[40].encrypted_content'.
    ///
    /// It happens when all blobs are stripped from a history, not only those of reasoning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"compaction","id":"cmp_1"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: without the item, everything before it would be lost silently.
    ///
    /// ## Evidence
    ///
    /// Reported, with this sentence, for the compact endpoint; the schema requires it. Every one of eight
    /// recorded compactions has it.
    COMPACTION_WITHOUT_BLOB, "compaction-without-blob" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{type} {any_id} has no encrypted_content, so the history it replaces is lost",
            api: Some("Missing required parameter: 'input[{index}].encrypted_content'."),
            evidence: Evidence::Reported,
            error: ErrorDetails { param: Some("input[{index}].encrypted_content"), ..ErrorDetails::HISTORY },
            ..Variant::BASE
        },
    ]
}
