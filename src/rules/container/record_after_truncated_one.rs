//! RL009: a record follows a truncated one on the same line.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a line that begins with a truncated record, directly followed by a complete one.
    ///
    /// ## Why it matters
    ///
    /// The writer crashed in the middle of a record, and the next process appended to the unfinished line. Readers of
    /// JSON Lines reject the whole line, so the complete record is lost as well. `replaylint` reads and checks it; the
    /// content of the truncated record is not known.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"message","role":"user","con{"type":"message","role":"user","content":"a"}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the truncated record is removed. Its readable part is lost; the complete record is often a
    /// second attempt to write the same one. `--dropped FILE` keeps what is removed.
    ///
    /// ## Evidence
    ///
    /// github/copilot-cli#4098.
    RECORD_AFTER_TRUNCATED_ONE, "record-after-truncated-one" tags [Container], Check::External,
    [
        Variant {
            message: "a truncated record precedes another record on this line",
            evidence: Evidence::Reported,
            fix: "remove the truncated record",
            loss: Loss::Lossy,
            autofix: Autofix::OnRequest,
            ..Variant::BASE
        },
    ]
}
