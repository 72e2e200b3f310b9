//! RL407: the content of a message is null or missing.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds messages whose `content` is null or missing. An empty string is accepted.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid type for 'input[1].content': expected one of an array of objects or string, but got null instead.
    ///
    /// It happens when a Chat message with nothing but tool calls is reused.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"assistant","content":null}
    /// ```
    ///
    /// ## Fix
    ///
    /// The content becomes an empty string, which recorded requests show to be accepted. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: new-api#4776 and one recorded exchange without its request. The documentation requires content.
    NULL_CONTENT, "null-content" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "the content of this message is null",
            api: Some(
                "Invalid type for 'input[{index}].content': expected one of an array of objects or string, but got null instead.",
            ),
            evidence: Evidence::Reported,
            fix: "set it to an empty string",
            loss: Loss::Lossless,
            error: ErrorDetails {
                param: Some("input[{index}].content"),
                code: Some("invalid_type"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
        Variant {
            message: "this message has no content",
            evidence: Evidence::Documented,
            fix: "set it to an empty string",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
