//! RL010: a string contains raw control characters.

use crate::rule::{Check, Evidence, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a record of a log whose strings contain control characters (newline, tab, NUL, …) that are not escaped. A
    /// raw newline spreads the record over several lines; up to 1,000 lines and 4 MB are joined.
    ///
    /// ## Why it matters
    ///
    /// RFC 8259, section 7, does not allow them, and readers of JSON Lines reject each of the lines. `replaylint` reads
    /// and checks the record as it was meant. In a document that is not a log such a character is RL001.
    ///
    /// ## Fix
    ///
    /// They are escaped (`\n`, `\t`, `\u0000`); nothing is lost. Findings on the record itself are fixed after that.
    ///
    /// ## Evidence
    ///
    /// github/copilot-cli#2649; reported for Codex on Windows.
    RAW_CONTROL_CHARACTER, "raw-control-character" tags [Container], Check::External,
    [
        Variant {
            message: "{characters} in the strings of this record, not escaped",
            evidence: Evidence::Reported,
            fix: "escape the control characters",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
