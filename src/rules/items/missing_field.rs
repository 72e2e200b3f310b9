//! RL414: an item lacks a required field.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds calls and outputs without a `call_id` or with an empty one, calls with an empty `name`, web searches whose
    /// `action` has no `type` or, for OpenAI and Azure, without an id, tool searches without `arguments`, programs
    /// without `fingerprint`; for Azure reasoning without an id, and for DeepSeek web searches without `queries`. Other
    /// fields that the schema requires are RL400. Messages with an id but no status, code without outputs and stored
    /// images were accepted in recorded requests, and are not reported.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid 'input[4].call_id': empty string. Expected a string with minimum length 1, but got an empty string
    /// > instead.
    ///
    /// and for a missing field:
    ///
    /// > Missing required parameter: 'input[3].call_id'.
    ///
    /// An output of a local shell without `call_id` does not answer its call (the error of RL101), and Azure once said
    /// "ID is required" for reasoning. It happens when items of another API are reused, or empty fields are omitted.
    /// For an empty name:
    ///
    /// > Invalid 'input[4].name': empty string. Expected a string with minimum length 1…
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"function_call","call_id":"","name":"f","arguments":"{}"},
    ///  {"type":"function_call_output","call_id":"","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// A call and its output that both have an empty `call_id` get the same new one, if no other such call or output is
    /// next to them. Otherwise they cannot be paired, and are dropped, as are a call or output that has no `call_id` at
    /// all, and a web search without an id. The other fields cannot be invented. For Azure, `--fix-warnings` removes
    /// the reasoning and the ids of its group.
    ///
    /// ## Evidence
    ///
    /// Reported for empty texts and `action.type`; for web searches openai/codex#6926 (Codex 0.59.0), for tool searches
    /// CommandCodeAI/command-code#745 (Codex and that gateway), for local shells openai/openai-agents-python#1855. The
    /// rest is documented in the schema. Azure: openai/codex#3528, though recorded requests without the id were
    /// accepted, hence a warning.
    MISSING_FIELD, "missing-field" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{type} has no call_id",
            api: Some("Missing required parameter: 'input[{index}].call_id'."),
            evidence: Evidence::Documented,
            error: ErrorDetails { param: Some("input[{index}].call_id"), ..ErrorDetails::HISTORY },
            fix: "drop it (it cannot be paired)",
            ..Variant::BASE
        },
        Variant {
            message: "the call_id of {type} is empty",
            api: Some(
                "Invalid 'input[{index}].call_id': empty string. Expected a string with minimum length 1, but got an empty \
                 string instead.",
            ),
            evidence: Evidence::Reported,
            error: ErrorDetails {
                param: Some("input[{index}].call_id"),
                code: Some("empty_string"),
                ..ErrorDetails::HISTORY
            },
            fix: "give the call and its output the same new call_id, or drop it if it has no partner",
            ..Variant::BASE
        },
        Variant {
            message: "the name of {type} {call_id} is empty",
            api: Some(
                "Invalid 'input[{index}].name': empty string. Expected a string with minimum length 1, but got an empty string \
                 instead.",
            ),
            evidence: Evidence::Reported,
            error: ErrorDetails { param: Some("input[{index}].name"), code: Some("empty_string"), ..ErrorDetails::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "the action of {type} {id} has no type",
            api: Some("Missing required parameter: 'input[{index}].action.type'."),
            evidence: Evidence::Reported,
            error: ErrorDetails { param: Some("input[{index}].action.type"), ..ErrorDetails::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "{type} has no id, which this server may require",
            api: Some("Missing required parameter: 'input[{index}].id'."),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "drop the reasoning and remove the ids of its group",
            error: ErrorDetails { param: Some("input[{index}].id"), ..ErrorDetails::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has no fingerprint, which the API requires",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the action of {type} {id} has no queries, which this server requires",
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {id} has no call_id, which the server needs to find its call",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} has no id",
            api: Some("Missing required parameter: 'input[{index}].id'."),
            evidence: Evidence::Reported,
            fix: "drop the search, which is meaningless to the server without its id",
            error: ErrorDetails {
                param: Some("input[{index}].id"),
                code: Some("missing_required_parameter"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has no arguments",
            api: Some("Missing required parameter: 'input[{index}].arguments'."),
            evidence: Evidence::Reported,
            error: ErrorDetails {
                param: Some("input[{index}].arguments"),
                code: Some("missing_required_parameter"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
    ]
}
