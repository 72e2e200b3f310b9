//! RL908: settings that the target does not have.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports settings of a request that are dropped.
    ///
    /// ## Why it matters
    ///
    /// A setting of one API often has no counterpart in the other, or one with another meaning. A setting that affects
    /// the answer is a warning; transport, accounts and caches are notes. History that the server stores for
    /// `previous_response_id` or `conversation` is not in the file, and cannot be converted.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","previous_response_id":"resp_1","input":"go on"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None. Include the missing history in the source, or set the setting by hand.
    ///
    /// ## Evidence
    ///
    /// Schemas of the five APIs.
    LOST_SETTING, "lost-setting", Check::External,
    [
        Variant {
            message: "dropped the setting {key}⟨ ({was})⟩: the target has no equivalent",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the setting {key}⟨ ({was})⟩: the target has no equivalent",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped {key}: the history that it refers to is on the server and not in the file",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the setting {key}⟨ ({was})⟩: the target's model rejects it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "kept only {arg} stop sequences: the target accepts no more",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the description of the schema in {key}: the target has no field for it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped \"strict\" of the schema in {key}: the target has no such setting",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped instructions ({arg}): the other agent has its own",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped tool definitions ({arg}): the other agent has its own",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped {key}, the name of this entry in its batch: the target has no field for it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the setting {key}⟨ ({was})⟩: another setting of the request disables or limits thinking",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
