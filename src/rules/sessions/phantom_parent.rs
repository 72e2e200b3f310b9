//! RL660: the parent of a line was never written.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a line of a Claude Code session whose `parentUuid` is not the uuid of any line, although the file contains
    /// earlier lines of the same chain.
    ///
    /// ## Why it matters
    ///
    /// On resume, Claude Code before 2.1.91 follows the links from the last line upwards, and stops here: everything before is
    /// silently lost. The message says how many of the messages since the last compaction it still reaches. Later versions send
    /// everything; for these it is a note (RL690).
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","version":"2.1.30","message":{"content":[]}}
    /// {"type":"user","uuid":"u2","parentUuid":"lost","sessionId":"s","version":"2.1.30","message":{"content":"go on"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// `parentUuid` gets the uuid of the nearest earlier line of the same session, chain and agent that is a message, an
    /// attachment or a system line. Nothing else in the line changes. A `compact_boundary` has no parent by design, and a
    /// file whose first line has an unknown one continues another file (RL601).
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#22107, #22526, #24304, #46603, #58554 (22 breaks, 5 % of the session reachable), #61188.
    /// Recorded: the requests of 19 versions from 2.1.85 to 2.1.330.
    PHANTOM_PARENT, "phantom-parent", Check::External,
    [
        Variant {
            message: "parentUuid is not the uuid of any line: only {reachable} will be sent",
            evidence: Evidence::Reported,
            fix: "link it to the nearest earlier line of the session",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "parentUuid is not the uuid of any line, so nothing before this branch can be reached",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "link it to the nearest earlier line of the session",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
    ]
}
