//! RL708: an image or a file has more bytes than the API takes.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds inline images and files with more bytes than the API takes. Anthropic counts the characters of the base64 text.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400, in every turn from then on:
    ///
    /// > messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes
    ///
    /// It happens when a tool returns a screenshot or a scan as it is.
    ///
    /// ## Example
    ///
    /// An image whose base64 text has 11,000,000 characters, to Anthropic.
    ///
    /// ## Fix
    ///
    /// By default none. `fix --images shrink` makes images above the limit smaller; `fix --max-image-bytes 5M` alone replaces
    /// larger images with a text that says what they were. `--dropped FILE` keeps the originals.
    ///
    /// ## Evidence
    ///
    /// Documented for DeepSeek (api-docs.deepseek.com/guides/vision). Reported for Anthropic (anthropics/claude-code#19631, #4778; the limit
    /// was 5 MB until spring 2026); for Mistral, Groq and xAI users measured it. AWS names 4.5 MB for documents on Bedrock, and two
    /// of its pages disagree.
    LARGE_MEDIA, "large-media" tags [Field], Check::External,
    [
        Variant {
            message: "{media} part{media_place} of {length} bytes, more than the {limit} that this API takes",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} of {length} bytes, more than the {limit} that this API is known to take",
            also: &["image exceeds {arg} MB maximum: {length} bytes > {limit} bytes", "image exceeds {arg} MB maximum"],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
