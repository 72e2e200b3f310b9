//! RL906: ids and names that the target rejects.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports call ids and tool names that are changed, and item ids that are dropped.
    ///
    /// ## Why it matters
    ///
    /// The target has its own pattern or limit: Anthropic accepts letters, digits, `_` and `-`, Mistral nine letters
    /// and digits, Chat 40 characters. A call and its result get the same new id, identical in every run. Item ids are
    /// assigned by the provider: they are never invented, so none is written.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"id":"functions.weather:0","type":"function","function":{"name":"weather","arguments":"{}"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None needed: calls and results stay paired.
    ///
    /// ## Evidence
    ///
    /// Anthropic: "String should match pattern '^[a-zA-Z0-9_-]+$'"; mistral-common: "must be a-z, A-Z, 0-9, with a length
    /// of 9".
    CHANGED_ID, "changed-id", Check::External,
    [
        Variant {
            message: "changed the id of a call and its result⟨ to {to}⟩: the target does not accept it",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "numbered the calls: {items} without an id in the source",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the provider's ids and status of {items}",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed the name of a tool⟨ from {name}⟩⟨ to {to}⟩: the target does not accept it",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "changed {key}, the name of this entry in its batch: the target does not accept it",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
