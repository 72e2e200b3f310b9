//! RL012: the last line of a session has no newline.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a session to which its agent appends (Codex, Claude Code, Kode) whose last line does not end in a newline.
    ///
    /// ## Why it matters
    ///
    /// The file can be read as it is. An agent that resumes the session appends its next record to the last line
    /// (RL008), and then neither of the two can be read. Programs that rewrite or convert sessions leave files like
    /// this.
    ///
    /// ## Fix
    ///
    /// A newline is added: with `--fix-warnings`, and whenever something else in the file is fixed. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Inferred from how the agents append.
    MISSING_LAST_NEWLINE, "missing-last-newline" tags [Container], Check::External,
    [
        Variant {
            message: "the last line has no newline; the agent would append its next record to it",
            levels: Levels::INFO,
            evidence: Evidence::Inferred,
            fix: "add a newline",
            loss: Loss::Lossless,
            autofix: Autofix::OnRequest,
            ..Variant::BASE
        },
    ]
}
