//! RL680: a session goes back to a message that it does not hold.

use crate::rule::{Check, Evidence, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `$rewindTo` in a session of the Gemini CLI that names no message before it.
    ///
    /// ## Why it matters
    ///
    /// When the CLI loads the session, it drops all messages before such a line. Nothing says so: the session resumes, and
    /// the model knows nothing of what was said.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"$rewindTo":"a message that was never written"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: whether the messages are to come back is for you to say. They do if the line is removed.
    ///
    /// ## Evidence
    ///
    /// Documented: the source of the Gemini CLI, which clears all messages if the id is not found.
    UNKNOWN_REWIND, "unknown-rewind", Check::Raised,
    [
        Variant {
            message: "$rewindTo names a message that is not in the session, so the CLI drops all messages before it on resume",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
