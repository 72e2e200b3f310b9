//! RL410: the arguments of a call are not a string.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds function and MCP calls whose `arguments` are an object, and custom tool calls whose `input` is not a
    /// string. The arguments of a tool search may be an object.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid type for 'input[1].arguments': expected a string, but got an object instead.
    ///
    /// It happens when arguments are stored parsed.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","call_id":"call_1","name":"f","arguments":{"city":"Oslo"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// The value is written as a JSON string. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Documented: the schema has a string. The sentence comes from tests that mirror the API.
    ARGUMENTS_NOT_TEXT, "arguments-not-text" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "arguments of {type} {call_id} are an object, not a string",
            api: Some("Invalid type for 'input[{index}].arguments': expected a string, but got an object instead."),
            evidence: Evidence::Documented,
            fix: "write the arguments as a JSON string",
            loss: Loss::Lossless,
            error: ErrorDetails {
                param: Some("input[{index}].arguments"),
                code: Some("invalid_type"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "input of {type} {call_id} is not a string",
            evidence: Evidence::Documented,
            fix: "write the input as a string",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
