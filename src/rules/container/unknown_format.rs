//! RL004: no format recognises the document.

use crate::rule::{Check, Evidence, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Reports a document, given as an argument or on standard input, whose format is unknown, and says what it looks
    /// like: a store that is not supported yet, or a file without a conversation. A file found in a folder is skipped
    /// and counted instead (`-v` lists it). A record of another kind among known records is reported at its place, as
    /// is a conversation that cannot be checked for a target of another dialect.
    ///
    /// ## Why it matters
    ///
    /// A file of unknown format is not checked, and `fix` and `convert` leave it unchanged. A format is detected only
    /// by at least two distinctive keys, or by one that no other format has, and only if it can read most of the
    /// records.
    ///
    /// ## Fix
    ///
    /// None. If the conversation is deeper in the document, `--pointer /a/b` reaches it; if the format is known to
    /// you, `--format NAME` sets it (`replaylint formats` lists them).
    UNKNOWN_FORMAT, "unknown-format" tags [Container], Check::External,
    [
        Variant {
            message: "unknown format: {shape}",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the file is empty",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "not a text file, and no known binary format",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "text, neither JSON nor JSON Lines",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "event stream without a known event",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "looks like {looks}, which is not supported yet",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "looks like {looks}: not a stored conversation",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "this record does not belong to the {format}: {shape}",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "this build cannot read SQLite databases",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite database without any table of a known store",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite database without conversations; its `-wal` file, which contains the latest writes, is missing",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite database whose conversation tables are empty",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the session is encrypted and cannot be read",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "SQLite databases cannot be read from a stream, only from a file",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "this conversation cannot be checked for a target of another dialect",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
