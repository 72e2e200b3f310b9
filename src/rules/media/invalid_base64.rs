//! RL706: the data of an image or a file are not base64.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds inline data that cannot be decoded as base64: they have other characters, or a length that no data have.
    /// White space, missing padding and the alphabet for URLs are not reported.
    ///
    /// ## Why it matters
    ///
    /// OpenAI rejects the request with HTTP 400:
    ///
    /// > Invalid base64 image_url.
    ///
    /// It happens when a log replaced the data with a placeholder, or cut them.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":[
    ///  {"type":"image_url","image_url":{"url":"data:image/png;base64,(removed)"}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// By default none: the data cannot be decoded. `fix --images drop` replaces images with a text.
    ///
    /// ## Evidence
    ///
    /// Recorded for OpenAI and Azure (llama-stack); inferred for other servers, which cannot decode it either.
    INVALID_BASE64, "invalid-base64" tags [Field], Check::External,
    [
        Variant {
            message: "{media} part{media_place} whose data are not base64",
            api: Some("Invalid base64 image_url."),
            also: &["Invalid image (base64) data."],
            error: ErrorDetails { code: Some("invalid_base64"), ..ErrorDetails::BODY },
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} whose data are not base64",
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} whose data are not base64",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
