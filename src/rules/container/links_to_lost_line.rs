//! RL013: entries are linked to a line that could not be read.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Counts the entries of a session that follow, directly or by others, an entry in a line that could not be read (RL001).
    ///
    /// ## Why it matters
    ///
    /// An agent that resumes the session does not find the parent, and goes on without all that came before. Here such entries
    /// are read as if they followed what is stored before the line, and calls and outputs whose partners may be in it are not
    /// reported.
    ///
    /// ## Fix
    ///
    /// None: what the line held is not known. Correct it by hand (RL001 shows where).
    ///
    /// ## Evidence
    ///
    /// Inferred: the unknown parent of an entry after the line is taken to be in it, one for each such line. Where no line is
    /// left that may hold it, the entry is RL601.
    LINKS_TO_LOST_LINE, "links-to-lost-line" about [Container], Check::Raised,
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
