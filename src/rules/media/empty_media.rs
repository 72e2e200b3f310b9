//! RL705: an image or a file has no data.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds inline images, sounds, videos and files without any data.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.0.content.2.image.source.base64: image cannot be empty
    ///
    /// It happens when a screenshot failed, or when data were removed from a log to make it smaller.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":[
    ///  {"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// By default none: the data are not in the file. `fix --images drop` replaces images with a text.
    ///
    /// ## Evidence
    ///
    /// Reported for Anthropic: anthropics/claude-code#12750. Documented for Bedrock: botocore's model demands at least one byte.
    EMPTY_MEDIA, "empty-media" tags [Field], Check::External,
    [
        Variant {
            message: "{media} block{media_place} has no data",
            api: Some("{media_path}.source.base64: image cannot be empty"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} has no data",
            error: ErrorDetails::AWS,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} has no data",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
