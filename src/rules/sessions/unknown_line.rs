//! RL665: a session contains lines of an unknown type.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports each unknown line type of a Claude Code session once, at the first line of that type.
    ///
    /// ## Why it matters
    ///
    /// New versions of the agent write new types. They are read as links of the chain, not as messages: if one of them
    /// is sent to the model, the checked history lacks it.
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
    UNKNOWN_LINE, "unknown-line", Check::External,
    [
        Variant {
            message: "unknown line type {type}: not read as a message",
            levels: Levels::INFO,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
