//! RL004: no format recognises the document.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Reports a document, given as an argument or on standard input, whose format is unknown, and says what it
    /// looks like: a store that is not supported yet, or a file without a conversation. A file found in a folder is
    /// skipped and counted instead (`-v` lists it). A record of another kind among known records is reported at its
    /// place, as is a conversation of which a target of another dialect takes nothing.
    ///
    /// ## Why it matters
    ///
    /// A file that was not understood was not checked, and `fix` and `convert` do not touch it. A format claims a
    /// document only by at least two distinctive keys, or by one that nothing else has, and only if it
    /// understands most of the records.
    ///
    /// ## Fix
    ///
    /// None. If the conversation is deeper in the document, `--pointer /a/b` reaches it; if the format is known to
    /// you, `--format NAME` sets it (`replaylint formats` lists them).
    UNKNOWN_FORMAT, "unknown-format" about [Container], Check::Raised,
    [
        Variant {
            message: "unknown format: {shape}",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the file is empty",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "not a text file, and no known binary format",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "text that is neither JSON nor JSON Lines",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "event stream without any known event",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "looks like {looks}, which is not supported yet",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "looks like {looks}: not a stored conversation",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "record does not belong to the {format}: {shape}",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "this build reads no SQLite databases",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite database without any table of a known store",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite database without conversations, and its `-wal` file, which holds what was written last, is missing",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite database whose tables for conversations are empty",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the session is encrypted and cannot be read",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite database in a stream; it can only be read from a file",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "this conversation cannot be judged for a target of another dialect",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
