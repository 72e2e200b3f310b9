//! RL710: a request has more images or files than the API takes.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Counts the images, documents and videos of a request, those of earlier turns and of results included, and names the first that
    /// is one too many.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > too many images and documents: 104 + 1 > 100
    ///
    /// > At most 20 image(s) may be provided in one prompt.
    ///
    /// A long session with screenshots reaches the limit by itself, and cannot go on.
    ///
    /// ## Example
    ///
    /// Six images in one conversation, to Groq.
    ///
    /// ## Fix
    ///
    /// By default none: which of them to leave out is the user's decision. `fix --max-images N` keeps the last N images, and
    /// replaces the others with a text that says what they were; `--dropped FILE` keeps them.
    ///
    /// ## Evidence
    ///
    /// Documented for DeepSeek (api-docs.deepseek.com/guides/vision). Reported for Anthropic: anthropics/claude-code#24541. Measured by users for
    /// Mistral and Groq. The operator of a vLLM server sets it, so that nothing is reported there.
    TOO_MANY_MEDIA, "too-many-media" tags [Field], Check::External,
    [
        Variant {
            message: "{length} images, videos or files, more than the {limit} that this API takes",
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{length} images, videos or files, more than the {limit} that this API is known to take",
            also: &[
                "too many images and documents: {images} + {documents} > {limit}",
                "Too much media: {pages} document pages + {images} images > {limit}",
                "At most {limit} image(s) may be provided in one prompt.",
                "Too many images in request",
            ],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
