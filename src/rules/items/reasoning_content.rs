//! RL404: reasoning has raw text, or lacks it where it is required.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning with `content`: raw text, as open models return it. For DeepSeek it is the other way round: its
    /// own raw text must come back, and reasoning without it is a note.
    ///
    /// ## Why it matters
    ///
    /// OpenAI rejects the history with HTTP 400:
    ///
    /// > Invalid 'input[39].content': array too long. Expected an array with maximum length 0, but got an array with
    /// > length 1 instead.
    ///
    /// It happens when a history of gpt-oss or of another server is sent to OpenAI. DeepSeek's models think unless the
    /// request has `"reasoning": {"effort": "none"}`, and then need the text of turns with calls:
    ///
    /// > The `reasoning_text` in the thinking mode must be passed back to the API
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"…"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The content is removed and lost; summary and encrypted content are kept. With `--reasoning keep`, nothing is
    /// removed. Missing raw text cannot be invented: send it as it was received, or turn thinking off.
    ///
    /// ## Evidence
    ///
    /// Reported: musistudio/claude-code-router#1783, router-for-me/CLIProxyAPI#5825, agent-framework-go#783, and a
    /// comment in inspect_ai (`responses_reasoning_from_reasoning`). DeepSeek accepted recorded requests with the
    /// content; the rejection without it is known from one report, rikkahub/rikkahub#1629 (RikkaHub 2.4.5), hence a
    /// note.
    REASONING_CONTENT, "reasoning-content" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{type} {any_id} has raw reasoning text, which the API rejects",
            api: Some(
                "Invalid 'input[{index}].content': array too long. Expected an array with maximum length 0, but got an array \
                 with length {length} instead.",
            ),
            evidence: Evidence::Reported,
            fix: "remove the raw text",
            error: ErrorDetails {
                param: Some("input[{index}].content"),
                code: Some("array_above_max_length"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has no raw reasoning text, which the API requires",
            api: Some("The `reasoning_text` in the thinking mode must be passed back to the API"),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
