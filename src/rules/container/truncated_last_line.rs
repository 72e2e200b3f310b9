//! RL003: the last line of a log is truncated.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a last line that ends in the middle of a value. A truncated `.gz` or `.zst` file is reported as well, and
    /// checked as far as it can be unpacked.
    ///
    /// ## Why it matters
    ///
    /// The writer was interrupted. The rest of the line is lost, and a reader that expects JSON on every line stops
    /// there. Only the last line counts as truncated: a broken line inside a log is RL001.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"response_item","payload":{"type":"function_call","call_id":"call_1","argu
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the truncated line is removed. Its readable part is lost.
    ///
    /// ## Evidence
    ///
    /// anthropics/claude-code#53821, openseek#336: only an unterminated last record may be tolerated.
    TRUNCATED_LAST_LINE, "truncated-last-line" tags [Container], Check::External,
    [
        Variant {
            message: "the last line is truncated: {fault}",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "remove the truncated line",
            loss: Loss::Lossy,
            ..Variant::BASE
        },
        Variant {
            message: "the compressed file is truncated; only the readable part was checked",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "remove the truncated line",
            loss: Loss::Lossy,
            ..Variant::BASE
        },
    ]
}
