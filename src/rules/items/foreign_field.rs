//! RL402: an item has a field of another API, or of a client.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds fields that other APIs or clients add to items: keys that begin with an underscore, `name` on a
    /// message, Anthropic's `cache_control`, and `reasoning_content`, `tool_calls` or a misplaced `content` as in
    /// Chat Completions.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Unknown parameter: 'input[0].content[0].cache_control'.
    ///
    /// It happens when a history is stored in the form of one API and sent to another, or when a client stores its own
    /// notes in an item.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"user","content":[{"type":"input_text","text":"Hi","cache_control":{"type":"ephemeral"}}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Notes and cache marks are removed: the model never saw them. `reasoning_content` is removed and lost. Calls in
    /// `tool_calls`, and misplaced content, must be converted and are not removed.
    ///
    /// ## Evidence
    ///
    /// Reported, all with this sentence: codex-lb's specifications, openai-node's `toResponseInputItems`,
    /// pydantic-ai#3653.
    FOREIGN_FIELD, "foreign-field" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{type} {any_id} has a field the API does not know: {field}",
            api: Some("Unknown parameter: 'input[{index}].{field}'."),
            evidence: Evidence::Reported,
            fix: "remove the field",
            loss: Loss::Lossless,
            error: ErrorDetails::UNKNOWN_FIELD,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has a field of another API: {field}",
            api: Some("Unknown parameter: 'input[{index}].{field}'."),
            evidence: Evidence::Reported,
            fix: "remove the field and its content",
            error: ErrorDetails::UNKNOWN_FIELD,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has a field the API rejects: {field}",
            api: Some("Unknown parameter: 'input[{index}].{field}'."),
            evidence: Evidence::Reported,
            error: ErrorDetails::UNKNOWN_FIELD,
            ..Variant::BASE
        },
    ]
}
