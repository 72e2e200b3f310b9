//! RL703: an image or a file has a type that the API does not accept.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds images and files whose declared type, or the type that their name or URL shows, is none of those that the API accepts.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid file data: 'input[3].output[0].file_data'. Expected a base64-encoded data URL with a valid file MIME type (e.g.
    /// > 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type 'audio/mpeg'.
    ///
    /// > The file type you uploaded is not supported. Please try again with a pdf
    ///
    /// > messages.0.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or
    /// > 'image/webp'
    ///
    /// It happens when a tool returns whatever file it was asked for.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":[
    ///  {"type":"image","source":{"type":"base64","media_type":"image/bmp","data":"Qk0eAAAAAAAAABoAAAAMAAAA"}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the content would have to be converted. If its bytes are of an accepted type, RL704 declares that.
    ///
    /// ## Evidence
    ///
    /// Recorded: audio as a file at OpenAI, inline and at a URL (pydantic-ai). Documented: the types of Anthropic's SDK, and of botocore's
    /// model of Bedrock; Google's page on Gemini 3 Flash.
    MEDIA_TYPE, "media-type" tags [Field], Check::External,
    [
        Variant {
            message: "{media} part{media_place} of type {media_type}, which this API does not accept",
            api: Some("Invalid file data: '{media_path}.file_data'. Expected a base64-encoded data URL with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{media_type}'. Please see https://platform.openai.com/docs/assistants/tools/file-search#supported-files for supported file types."),
            error: ErrorDetails { param: Some("{media_path}.file_data"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} with the URL of a file of type {media_type}, which this API does not accept",
            api: Some("The file type you uploaded is not supported. Please try again with a pdf"),
            error: ErrorDetails { code: Some("unsupported_file"), ..ErrorDetails::BODY },
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} of type {media_type}, which this API does not accept",
            api: Some("{media_path}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"),
            also: &["Image format {media_type} not supported"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} of type {media_type}, which this API does not accept",
            error: ErrorDetails::AWS,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} of type {media_type}, which this API is not known to accept",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
