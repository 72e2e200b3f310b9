//! RL009: a record follows a truncated one on the same line.

use crate::rule::{Check, Evidence, Loss, Variant, When};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a line that begins with a truncated record, directly followed by a complete one.
    ///
    /// ## Why it matters
    ///
    /// The writer crashed in the middle of a record, and the next process appended to what was there. Readers of JSON Lines
    /// take the whole line for invalid, so the complete record is lost as well. It is read and checked here; what the
    /// truncated one was to hold is not known.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"message","role":"user","con{"type":"message","role":"user","content":"a"}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the truncated record is removed. Its readable part is lost; often the complete record is the
    /// second attempt to write the same. `--dropped FILE` keeps what is removed.
    ///
    /// ## Evidence
    ///
    /// github/copilot-cli#4098.
    RECORD_AFTER_TRUNCATED_ONE, "record-after-truncated-one" about [Container], Check::Raised,
    [
        Variant {
            message: "a truncated record precedes another record on this line",
            evidence: Evidence::Reported,
            fix: "remove the truncated record",
            loss: Loss::Lossy,
            when: When::Asked,
            ..Variant::BASE
        },
    ]
}
