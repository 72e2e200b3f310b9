//! RL711: a request with images or files has more bytes than the API takes.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds requests with images or files that are larger than the body that the API takes. For a session the messages are counted.
    ///
    /// ## Why it matters
    ///
    /// Anthropic rejects the request with HTTP 413 and the type `request_too_large`:
    ///
    /// > Request exceeds the maximum size
    ///
    /// The images of all turns count, so that a long session cannot go on.
    ///
    /// ## Example
    ///
    /// Nine images of 4 MB in one conversation, to Anthropic.
    ///
    /// ## Fix
    ///
    /// By default none: which of them to leave out is the user's decision. `fix --images keep-last=N` keeps the last N images,
    /// and replaces the others with a text that says what they were; `fix --images shrink --max-image-bytes 500k` makes all
    /// larger ones smaller. `--dropped FILE` keeps the originals.
    ///
    /// ## Evidence
    ///
    /// Documented for DeepSeek: 48 MiB (api-docs.deepseek.com/guides/vision). Reported for Anthropic, 32 MB: the SDKs format a body in other ways
    /// than a log, so that it is a warning.
    LARGE_BODY, "large-body" tags [Field], Check::External,
    [
        Variant {
            message: "a request of {length} bytes, more than the {limit} that this API takes",
            status: 413,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a request of {length} bytes, more than the {limit} that this API is known to take",
            also: &["Request exceeds the maximum size", "request_too_large"],
            status: 413,
            error: ErrorDetails { kind: "request_too_large", ..ErrorDetails::BODY },
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
