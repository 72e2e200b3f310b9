//! RL665: a session holds lines of a type that is not known.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Names each unknown type of line in a Claude Code session once, at the first line of that type.
    ///
    /// ## Why it matters
    ///
    /// New versions of the agent write new types. They are taken for links in the chain, and nothing in them for a message:
    /// if one of them is sent to the model, the history that is checked here misses it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"mood","sessionId":"s","mood":"curious"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None needed.
    ///
    /// ## Evidence
    ///
    /// Inferred: of the types in 193,761 lines of stored sessions only `user` and `assistant` are messages.
    UNKNOWN_LINE, "unknown-line", Check::Raised,
    [
        Variant {
            message: "unknown line type {type}: not read as a message",
            levels: Levels::INFO,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
