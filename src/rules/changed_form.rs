//! RL911: what is said in another form.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Tells what the target gets in another form than the source had.
    ///
    /// ## Why it matters
    ///
    /// The content stays, but not all that it was: a refusal reads like any text, an error like any result, a custom
    /// tool's free text becomes an argument, an image in a result is shown by the user behind it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"no such city"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the other API has no form of its own for it.
    ///
    /// ## Evidence
    ///
    /// Schemas of the five APIs.
    911, "changed-form", Check::Raised,
    [
        Variant {
            message: "a refusal becomes a plain text",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a tool that is no function becomes one",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a result is not marked as an error any more",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "media in a result moves to a message of the user behind it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "arguments that are no JSON object are wrapped in one",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a result moves behind its call",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the names of the participants of {items} are dropped",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a document of plain text becomes a text",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the server's summary of the history before becomes a text of the model",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
