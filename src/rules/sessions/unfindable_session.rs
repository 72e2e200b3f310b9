//! RL664: the agent cannot find a session because of its first line.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a Claude Code session whose first line is a `pr-link`.
    ///
    /// ## Why it matters
    ///
    /// To find a session by its id, the agent reads the start of each file: here `claude --resume ID` says "No
    /// conversation found with session ID". The session is complete, and can be resumed once a message comes first.
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
    UNFINDABLE_SESSION, "unfindable-session", Check::External,
    [
        Variant {
            message: "the session begins with a line of type {type}, so the agent does not find it by its id",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
