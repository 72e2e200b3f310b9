//! RL680: a session is rewound to a message that it does not contain.

use crate::rule::{Check, Evidence, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `$rewindTo` in a session of the Gemini CLI that names no message before it.
    ///
    /// ## Why it matters
    ///
    /// When the CLI loads the session, it silently drops all messages before such a line: the session resumes, and the
    /// model does not see them.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"$rewindTo":"a message that was never written"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: restoring the messages is your decision. Remove the line to do so.
    ///
    /// ## Evidence
    ///
    /// Documented: the source of the Gemini CLI, which clears all messages if the id is not found.
    UNKNOWN_REWIND, "unknown-rewind", Check::External,
    [
        Variant {
            message: "$rewindTo names a message that is not in the session, so the CLI drops all messages before it on resume",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
