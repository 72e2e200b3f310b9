//! RL004: no format recognises the document.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Says that a document named as an argument, or standard input, is no conversation that `replaylint` knows, and
    /// what it looked for. A file met in a walk is skipped and counted instead (`-v` lists it); a line among lines that
    /// are known is reported at its place.
    ///
    /// ## Why it matters
    ///
    /// A file that was not understood was not checked.
    ///
    /// ## Fix
    ///
    /// None. If the conversation lies deeper in the document, `--pointer /a/b` reaches it; if it was taken for something
    /// else, `--format NAME` says what it is (`replaylint formats` lists them).
    4, "unknown-format", Check::Raised,
    [
        Variant {
            message: "no conversation format is recognised here: {shape}",
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
            message: "this is not text: no conversation format starts like it",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "this is text, but neither JSON nor lines of JSON",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "this is a stream of events, but none of them is known here",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
