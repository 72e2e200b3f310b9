//! RL409: the output of a tool is neither a string nor a list of parts.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds outputs of function and custom tools whose `output` is an object, null, a number, a boolean, or
    /// missing.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid type for 'input[0].output': expected one of a string or array of objects, but got an object instead.
    ///
    /// and, if it is missing:
    ///
    /// > Missing required parameter: 'input[1].output'.
    ///
    /// It happens when a tool's result is stored as it was returned, not as JSON text.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":{"ok":true}}
    /// ```
    ///
    /// ## Fix
    ///
    /// A value is written as a JSON string: nothing is lost. If nothing was recorded, a text says so.
    ///
    /// ## Evidence
    ///
    /// Reported, with these sentences; the schema has a string or a list of parts.
    OUTPUT_NOT_TEXT, "output-not-text" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "the output of {call_id} is an object, not a string",
            api: Some(
                "Invalid type for 'input[{index}].output': expected one of a string or array of objects, but got an object instead.",
            ),
            evidence: Evidence::Reported,
            fix: "write the output as a string",
            loss: Loss::Lossless,
            error: ErrorDetails {
                param: Some("input[{index}].output"),
                code: Some("invalid_type"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "the output of {call_id} is null",
            api: Some(
                "Invalid type for 'input[{index}].output': expected one of a string or array of objects, but got null instead.",
            ),
            evidence: Evidence::Reported,
            fix: "set the output to a text saying that no result was recorded",
            loss: Loss::Lossless,
            error: ErrorDetails {
                param: Some("input[{index}].output"),
                code: Some("invalid_type"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} has no output",
            api: Some("Missing required parameter: 'input[{index}].output'."),
            evidence: Evidence::Reported,
            fix: "set the output to a text saying that no result was recorded",
            loss: Loss::Lossless,
            error: ErrorDetails { param: Some("input[{index}].output"), ..ErrorDetails::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "the output of {call_id} is not a string",
            evidence: Evidence::Documented,
            fix: "write the output as a string",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
