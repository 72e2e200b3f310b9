//! RL013: entries are linked to a line that could not be read.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Counts the entries of a session that follow, directly or indirectly, an entry in a line that could not be read
    /// (RL001).
    ///
    /// ## Why it matters
    ///
    /// An agent that resumes the session does not find the parent, and continues without everything that came before.
    /// `replaylint` reads such entries as if they followed the entry stored before the line, and does not report calls
    /// and outputs whose partners may be in it.
    ///
    /// ## Fix
    ///
    /// None: the content of the line is not known. Correct it by hand (RL001 shows where).
    ///
    /// ## Evidence
    ///
    /// Inferred: the unknown parent of an entry after the line is assumed to be in it, one parent per such line. If no
    /// such line remains for it, the entry is reported as RL601.
    LINKS_TO_LOST_LINE, "links-to-lost-line" tags [Container], Check::External,
    [
        Variant {
            message: "this line could not be read; {arg} entries are linked to it",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "this line could not be read; an entry is linked to it",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
