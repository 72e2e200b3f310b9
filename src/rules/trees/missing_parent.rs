//! RL601: an entry follows another that is not stored.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an entry of a session whose parent (`parentUuid`) is not in the file.
    ///
    /// ## Why it matters
    ///
    /// The history that a client rebuilds begins at this entry: the model no longer sees what was said before, and an
    /// output may lose its call. A file that was cut, or a part of a session that was copied, looks like this.
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
    /// Measured: 52 of 546 stored sessions of Claude Code have such an entry, and were used; so this is a warning. No API
    /// sees these links. The parent of a request that builds on `previous_response_id` is on the server, and never missed.
    MISSING_PARENT, "missing-parent", Check::Raised,
    [
        Variant {
            message: "the parent of this entry is not in the file; the history begins here",
            levels: Levels::WARNING,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the parent of this entry is not in the file; it is taken to follow the entry before it",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
