//! RL601: the parent of an entry is not stored.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an entry of a session whose parent (`parentUuid`, `parentId`) is not in the file.
    ///
    /// ## Why it matters
    ///
    /// The history that a client rebuilds begins at this entry: the model no longer sees anything before it, and an
    /// output may lose its call. It happens when a line is lost, when a file is cut, or when part of a session is copied. The
    /// message says how many of the messages are still sent.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":"go on"}}
    /// ```
    ///
    /// where no line has the uuid `a1`.
    ///
    /// ## Fix
    ///
    /// If messages come before the entry, its parent becomes the nearest earlier entry. Nothing else in the line changes. A file
    /// that begins with such an entry continues another file: the parent is not in it, and nothing is changed.
    ///
    /// ## Evidence
    ///
    /// Recorded: the requests of resumed sessions of pi 0.74 and Qwen Code 0.15 and 0.24 hold nothing that comes before the entry.
    /// Without messages before it this is a warning: 52 of 546 stored sessions of Claude Code begin with such an entry, and were
    /// in use. Claude Code since 2.1.91 sends everything (RL660 for older versions). No API sees these links. The parent of a request that builds on `previous_response_id` is on the server, and is
    /// never reported.
    MISSING_PARENT, "missing-parent", Check::External,
    [
        Variant {
            message: "the parent of this entry is not in the file; the history begins here",
            levels: Levels::WARNING,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "only {reachable} will be sent: the parent of this entry is not in the file",
            evidence: Evidence::Recorded,
            fix: "link it to the nearest earlier entry",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
