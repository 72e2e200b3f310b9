//! RL664: a session begins with a line by which the agent does not find it.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a Claude Code session whose first line is a `pr-link`.
    ///
    /// ## Why it matters
    ///
    /// The agent looks at the beginning of each file to find the session by its id: `claude --resume ID` then says "No
    /// conversation found with session ID". The session is whole, and can be resumed once a message comes first.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"pr-link","sessionId":"s","prNumber":7,"prUrl":"https://example.com/7"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: lines are not moved. Move the line to after the first message.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#62851.
    UNFINDABLE_SESSION, "unfindable-session", Check::Raised,
    [
        Variant {
            message: "the session begins with a line of type {type}, so the agent does not find it by its id",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
