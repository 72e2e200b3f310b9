//! RL008: two records share a line.

use crate::rule::{Check, Evidence, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a record of a log that begins on the line on which another one ends.
    ///
    /// ## Why it matters
    ///
    /// Two processes wrote at once, or one appended to a last line without a newline. Readers of JSON Lines reject the
    /// whole line: both records are lost, and in a session whose entries are linked, so is everything that follows
    /// them. `replaylint` reads and checks both.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"message","role":"user","content":"a"}{"type":"message","role":"user","content":"b"}
    /// ```
    ///
    /// ## Fix
    ///
    /// A newline is put between them; nothing is lost. Findings on the records themselves are fixed after that.
    ///
    /// ## Evidence
    ///
    /// Reported for sessions of Claude Code, Copilot CLI and Qwen Code, where separating the records restored the
    /// sessions.
    SHARED_LINE, "shared-line" tags [Container], Check::External,
    [
        Variant {
            message: "another record begins here, on the same line",
            evidence: Evidence::Reported,
            fix: "put the record on its own line",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
