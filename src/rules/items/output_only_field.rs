//! RL401: an item has a field that the server returns but does not accept.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds fields that occur in responses and are rejected in requests: `created_by`, the SDK's `parsed` and
    /// `parsed_arguments`, the `sources` (unless they are null) and a null `query` of a web search's `action`, the
    /// settings of a generated image (`action`, `background`, `output_format`, `quality`, `revised_prompt`, `size`),
    /// and the `status` of reasoning.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Unknown parameter: 'input[2].status'.
    ///
    /// It happens when the output of a response is stored in full and sent back as it is. Some servers accept a
    /// `status` on reasoning and the schema still lists it, so null is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"reasoning","id":"rs_1","summary":[],"status":"completed"}
    /// ```
    ///
    /// ## Fix
    ///
    /// The field is removed. The model never saw it, so nothing is lost; ids are kept, so groups stay complete.
    ///
    /// ## Evidence
    ///
    /// Reported: BerriAI/litellm#13420 and pi#7263 (status), pydantic-ai#3653 (web search), gajae-code#1688
    /// (images), ag2 (`created_by`); openai-node's own helper for input items strips the same fields. Four recorded
    /// requests to OpenAI send `"sources": null` back and were accepted.
    OUTPUT_ONLY_FIELD, "output-only-field" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "{type} {any_id} has an output-only field the API rejects: {field}",
            api: Some("Unknown parameter: 'input[{index}].{field}'."),
            evidence: Evidence::Reported,
            fix: "remove the field",
            loss: Loss::Lossless,
            error: ErrorDetails::UNKNOWN_FIELD,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has an output-only field the API rejects: status",
            api: Some("Unknown parameter: 'input[{index}].{field}'."),
            evidence: Evidence::Reported,
            fix: "remove the field",
            loss: Loss::Lossless,
            error: ErrorDetails::UNKNOWN_FIELD,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {any_id} has a null status, which strict servers reject",
            api: Some("Unknown parameter: 'input[{index}].{field}'."),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "remove the field",
            loss: Loss::Lossless,
            error: ErrorDetails::UNKNOWN_FIELD,
            ..Variant::BASE
        },
    ]
}
