//! RL910: content that a conversion had to invent.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports content that was added because the target requires it.
    ///
    /// ## Why it matters
    ///
    /// Every API requires an output for each call, and some require more: Bedrock definitions of the called tools, a
    /// text next to a document and a user message first; Anthropic a limit of the answer, and thinking enabled where the
    /// last message contains some; newer Gemini models a signature. An added output says only: "no result was recorded;
    /// execution status unknown".
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None. Add the real content to the source if you have it.
    ///
    /// ## Evidence
    ///
    /// Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately after"; Bedrock: "The toolConfig
    /// field must be defined when using toolUse and toolResult content blocks."; Gemini:
    /// https://ai.google.dev/gemini-api/docs/thought-signatures
    INVENTED_CONTENT, "invented-content", Check::External,
    [
        Variant {
            message: "added a placeholder result for an unanswered call",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "added a definition without parameters for a tool that is called but not defined",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "added a text that the target requires",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "set max_tokens to {arg}: the target requires a limit",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "added the signature that skips Gemini's check to an unsigned call",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            is_shown: true,
            ..Variant::BASE
        },
        Variant {
            message: "{items} without a thought signature, which Gemini 3 and later reject; use --model NAME to mark the calls for them",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "enabled thinking with a budget of {arg} tokens: the last message of the model contains thinking",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            is_shown: true,
            ..Variant::BASE
        },
    ]
}
