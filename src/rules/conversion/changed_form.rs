//! RL911: content that changes its form.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports content that the target gets in a different form.
    ///
    /// ## Why it matters
    ///
    /// The content is kept, but loses some of its meaning: a refusal reads like any text, an error like any result, a
    /// custom tool's free text becomes an argument, an image in a result moves to a user message after it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"no such city"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the other API has no equivalent.
    ///
    /// ## Evidence
    ///
    /// Schemas of the five APIs.
    CHANGED_FORM, "changed-form", Check::External,
    [
        Variant {
            message: "changed a refusal to plain text",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "changed a tool to a function tool",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the error mark of a result",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "moved media of a result to a user message after it",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "wrapped arguments that are not a JSON object in one",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "moved a result to right after its call",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the participant names of {items}",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed a plain-text document to text",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed the server's summary of earlier history to model text",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "moved the blocks after a call in its turn to before the call",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed {key}⟨ from {was}⟩⟨ to {to}⟩, the nearest value that the target accepts",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed {key}⟨ from {was}⟩⟨ to {to}⟩, as the target's model accepts it",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "changed the list of allowed tools to all tools: the target cannot restrict them",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed the web search to the target's own",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "changed the context of a document to text before it",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed a search result to text",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed the base64 data of a text document to text",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed calls and results to notes in text ({arg}): `--tools calls` keeps them",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "changed {key}⟨ from {was}⟩ to on: the target has no levels of summaries",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "changed a strict schema: its objects are closed, and its limits are in descriptions",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "changed the schema of a tool to that of an object: its alternatives are in its description",
            levels: Levels::INFO,
            evidence: Evidence::Recorded,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "split a message with {arg} calls: the target accepts at most 128",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "removed the white space at the end of the last message, which the target's model rejects",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "changed {type}, a call of a server-side tool or its result, to text",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
    ]
}
