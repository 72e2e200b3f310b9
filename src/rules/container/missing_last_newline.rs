//! RL012: the last line of a session has no newline.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a session to which its agent appends, and whose last line does not end in a newline.
    ///
    /// ## Why it matters
    ///
    /// The file can be read as it is. What happens when the agent resumes the session depends on the agent:
    ///
    /// * pi and Kimi Code append their next record to the last line, and can then read neither of the two: this is an error.
    ///   The next resume of pi sent one of five turns.
    /// * Claude Code and Qwen Code do the same, and read both records: a warning.
    /// * Codex and Copilot CLI add the newline: a note.
    ///
    /// Programs that rewrite or convert sessions leave files like this.
    ///
    /// ## Fix
    ///
    /// A newline is added. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Recorded: the requests of resumed sessions of pi 0.74, Kimi Code 2.1, Claude Code 2.1.197, Qwen Code 0.24, Codex 0.169
    /// and Copilot CLI 1.0.102. For other agents, inferred from how they append.
    MISSING_LAST_NEWLINE, "missing-last-newline" tags [Container], Check::External,
    [
        Variant {
            message: "the last line has no newline; the agent would append its next record to it",
            levels: Levels::INFO,
            evidence: Evidence::Recorded,
            fix: "add a newline",
            loss: Loss::Lossless,
            autofix: Autofix::Notes,
            ..Variant::BASE
        },
    ]
}
