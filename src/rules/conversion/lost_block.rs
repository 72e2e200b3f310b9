//! RL909: items without an equivalent in the target.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports items, blocks and fields that are dropped because the other API has no equivalent. Entries of a log that
    /// its agent does not send either are a note, with the reason.
    ///
    /// ## Why it matters
    ///
    /// An unknown type, a summary that only the provider can decrypt, a reference to an item on the server, a result
    /// without its call: no other provider can read them, and most reject a request that contains them.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"compaction","encrypted_content":"gAAA"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: within one dialect such items are copied unchanged.
    ///
    /// ## Evidence
    ///
    /// Schemas of the five APIs.
    LOST_BLOCK, "lost-block", Check::External,
    [
        Variant {
            message: "dropped {type}: the target has no equivalent",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped a summary of earlier history that only its provider can read",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped an item that is stored on the server and not in the file",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped a result without a call",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped {key}: the target has no equivalent",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped {type}: the log has no result for it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped {type}: the log lacks the data that a request needs",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the transcript of a subagent: it is a separate session",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped file snapshots ({arg}): only the agent that made them can restore files from them",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "truncated notes ({arg}): a note has up to 2,000 characters of a call and 4,000 of a result; `--tools calls` keeps all",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "Gemini CLI will not send this message: it begins like a command",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped `{member}`: no message of the request contains it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "not sent, so not converted: {why}",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the answer that is not preferred: the target has no such lines for training",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the phase of {items}: whether the model comments or answers",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
