//! RL405: a message part has a type that its role does not allow.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds content parts whose type does not fit the role: `input_text` or `text` in an assistant message,
    /// `output_text` or `text` in a user, system or developer message, media where only text is allowed, and `text`
    /// in the output of a tool.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.
    ///
    /// It happens when all messages are written in the same way, or parts come from Chat Completions or MCP. A string
    /// as content is accepted for every role.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"assistant","content":[{"type":"input_text","text":"Hello"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The part gets the right type; its text is kept. The converse, in user messages and tool outputs, is not known to
    /// be rejected, so it is a warning and not fixed by default. Media must be sent in another way.
    ///
    /// ## Evidence
    ///
    /// Reported for the assistant: rust-genai#119, SwiftOpenAI#136, litellm#17507. The rest is inferred from
    /// the schema.
    PART_TYPE, "part-type" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "content part of type {value} in an assistant message",
            api: Some("Invalid value: '{value}'. Supported values are: 'output_text' and 'refusal'."),
            evidence: Evidence::Reported,
            fix: "change the part's type to output_text",
            loss: Loss::Lossless,
            error: ErrorDetails {
                param: Some("input[{index}].{field}"),
                code: Some("invalid_value"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "content part of type {value}, which is only allowed in assistant messages",
            levels: Levels::WARNING,
            fix: "change the part's type to input_text",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "content part of type {value}, which is not allowed for this role",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
        Variant {
            message: "part of type {value} in the output of {call_id}",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "change the part's type to input_text",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
