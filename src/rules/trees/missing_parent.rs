//! RL601: the parent of an entry is not stored.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an entry of a session whose parent (`parentUuid`) is not in the file.
    ///
    /// ## Why it matters
    ///
    /// The history that a client rebuilds begins at this entry: the model no longer sees anything before it, and an
    /// output may lose its call. It happens when a file is cut, or when part of a session is copied.
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
    /// None: the parent is not in the file.
    ///
    /// ## Evidence
    ///
    /// Measured: 52 of 546 stored sessions of Claude Code have such an entry and were in use, so this is a warning. No
    /// API sees these links. The parent of a request that builds on `previous_response_id` is on the server, and is
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
            message: "the parent of this entry is not in the file; it is read as a child of the entry before it",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
