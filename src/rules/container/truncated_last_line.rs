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
    /// An agent that appends to the unfinished line loses what it writes next: the next resume cannot read the line, and finds
    /// nothing before it. For such an agent (pi, Qwen Code) this is an error, and a newline after the line, which loses nothing,
    /// is its fix. Kimi Code removes the truncated line when it resumes the session.
    ///
    /// ## Evidence
    ///
    /// anthropics/claude-code#53821, openseek#336: only an unterminated last record may be tolerated. Recorded requests of pi
    /// 0.74 and Qwen Code 0.24: the second resume after such a line held none of the turns before it.
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
        Variant {
            message: "the last line is truncated: {fault}; it ends in a newline, so nothing is appended to it",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "remove the truncated line",
            loss: Loss::Lossy,
            ..Variant::BASE
        },
        Variant {
            message: "the last line is truncated: {fault}; the agent appends its next record to it, and loses both",
            evidence: Evidence::Recorded,
            fix: "add a newline",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
