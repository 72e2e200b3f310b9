//! RL414: an item lacks a field without which it is refused.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{Answer, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds calls and outputs without a `call_id` or with an empty one, calls with an empty `name`, web
    /// searches whose `action` has no `type`, programs without `fingerprint`; for Azure reasoning without an
    /// id, and for DeepSeek web searches without `queries`. What else the schema requires, its own rule says.
    /// Messages with an id and without a status, code without outputs and images that are stored were recorded
    /// as accepted, and are silent.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid 'input[4].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.
    ///
    /// and of what is not there at all:
    ///
    /// > Missing required parameter: 'input[3].call_id'.
    ///
    /// An output of a local shell without `call_id` is not found by its call (RL101 has the words), and Azure
    /// once said "ID is required" of reasoning. It happens when another API's items are carried over, or empty
    /// members are left out. An empty name:
    ///
    /// > Invalid 'input[4].name': empty string. Expected a string with minimum length 1…
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","call_id":"","name":"f","arguments":"{}"}
    /// ```
    ///
    /// ## Fix
    ///
    /// A call and an output next to each other that both have an empty `call_id` get the same new one. Alone, without a
    /// `call_id` to be paired by, a call or an output is dropped. Nothing else of this can be made up. Azure's groups can
    /// lose their reasoning and ids with `--fix-warnings`.
    ///
    /// ## Evidence
    ///
    /// Reported for empty texts and `action.type`; the rest is documented in the schema. Azure:
    /// openai/codex#3528, though two recorded requests were accepted, hence a warning.
    MISSING_FIELD, "missing-field" of "responses" about [Field], Check::Raised,
    [
        Variant {
            message: "{type} has no call_id",
            api: Some("Missing required parameter: 'input[{index}].call_id'."),
            evidence: Evidence::Documented,
            answer: Answer { param: Some("input[{index}].call_id"), ..Answer::HISTORY },
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
            answer: Answer {
                param: Some("input[{index}].call_id"),
                code: Some("empty_string"),
                ..Answer::HISTORY
            },
            fix: "give the call and its output the same new call_id, or drop what has no partner",
            ..Variant::BASE
        },
        Variant {
            message: "the name of {type} {call_id} is empty",
            api: Some(
                "Invalid 'input[{index}].name': empty string. Expected a string with minimum length 1, but got an empty string \
                 instead.",
            ),
            evidence: Evidence::Reported,
            answer: Answer { param: Some("input[{index}].name"), code: Some("empty_string"), ..Answer::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "the action of {type} {id} has no type",
            api: Some("Missing required parameter: 'input[{index}].action.type'."),
            evidence: Evidence::Reported,
            answer: Answer { param: Some("input[{index}].action.type"), ..Answer::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "{type} has no id, which this server may require",
            api: Some("Missing required parameter: 'input[{index}].id'."),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "drop the reasoning and remove the ids of its group",
            answer: Answer { param: Some("input[{index}].id"), ..Answer::HISTORY },
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
            fix: "drop the search, which says nothing to the server without its id",
            answer: Answer {
                param: Some("input[{index}].id"),
                code: Some("missing_required_parameter"),
                ..Answer::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has no arguments",
            api: Some("Missing required parameter: 'input[{index}].arguments'."),
            evidence: Evidence::Reported,
            answer: Answer {
                param: Some("input[{index}].arguments"),
                code: Some("missing_required_parameter"),
                ..Answer::HISTORY
            },
            ..Variant::BASE
        },
    ]
}
