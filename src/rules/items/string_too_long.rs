//! RL415: a text is longer than the API accepts.

use crate::rule::{Check, Evidence, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds outputs, content parts, arguments and inputs of more than 10,485,760 characters, and encrypted content
    /// of compactions of more than 20,971,520.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.
    ///
    /// It happens when a tool returns a whole file or a log.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":"… 12 million characters …"}
    /// ```
    ///
    /// ## Fix
    ///
    /// The text is truncated, and a note at its end says how many characters were omitted. Truncation would change the
    /// meaning of arguments, inputs and encrypted content, so they are left unchanged.
    ///
    /// ## Evidence
    ///
    /// Reported by nine projects, with this sentence; inspect_ai#4682 for arguments; limits as in the schema.
    STRING_TOO_LONG, "string-too-long" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{field} of {type} {any_id} has {length} characters; at most 10485760 are allowed",
            api: Some(
                "Invalid 'input[{index}].{field}': string too long. Expected a string with maximum length 10485760, but got a \
                 string with length {length} instead.",
            ),
            evidence: Evidence::Reported,
            fix: "truncate the text and add a note",
            error: ErrorDetails {
                param: Some("input[{index}].{field}"),
                code: Some("string_above_max_length"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "{field} of {type} {any_id} has {length} characters; at most 10485760 are allowed",
            api: Some(
                "Invalid 'input[{index}].{field}': string too long. Expected a string with maximum length 10485760, but got a \
                 string with length {length} instead.",
            ),
            evidence: Evidence::Reported,
            error: ErrorDetails {
                param: Some("input[{index}].{field}"),
                code: Some("string_above_max_length"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "encrypted content of {type} {any_id} has {length} characters; at most 20971520 are \
                      allowed",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
