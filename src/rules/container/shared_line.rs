//! RL008: two records share a line.

use crate::rule::{Check, Evidence, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a record of a log that begins on the line on which another one ends.
    ///
    /// ## Why it matters
    ///
    /// Two processes wrote at once, or one appended to a last line without a newline. Readers of JSON Lines take the whole
    /// line for invalid: both records are lost, and in a session whose entries are linked, all that follows them. Both
    /// records are read and checked here.
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
    /// Reported for sessions of Claude Code, Copilot CLI and Qwen Code, where separating the records brought sessions back.
    SHARED_LINE, "shared-line" about [Container], Check::Raised,
    [
        Variant {
            message: "another record begins here, on the same line",
            evidence: Evidence::Reported,
            fix: "put the record on a line of its own",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
