//! RL709: an image has more pixels than the API takes.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds images in PNG, JPEG, GIF and WebP whose longest side has more pixels than the API takes. The size is read from the header.
    ///
    /// ## Why it matters
    ///
    /// Anthropic rejects the request with HTTP 400, in every turn from then on:
    ///
    /// > messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels
    ///
    /// With more than 20 images in the request the limit is 2000 pixels, so that it is the images of earlier turns that are refused:
    ///
    /// > messages.108.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image
    /// > requests: 2000 pixels
    ///
    /// It happens with screenshots of whole pages.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":[
    ///  {"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhKCNkAPAAAAAAAA=="}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// By default none. `fix --images shrink` makes images above the limit smaller; `fix --max-image-pixels 2000` alone
    /// replaces images with longer sides with a text that says what they were. `--dropped FILE` keeps the originals.
    ///
    /// ## Evidence
    ///
    /// Documented for Anthropic (platform.claude.com, vision; AWS, inference-api-restrictions). The limit for many images is reported:
    /// anthropics/claude-code#24630, #49537, #23392. Others were measured by users.
    LARGE_IMAGE, "large-image" tags [Field], Check::External,
    [
        Variant {
            message: "image{media_place} with a side of {length} pixels, more than the {limit} that this API takes",
            api: Some("{media_path}.source.base64.data: At least one of the image dimensions exceed max allowed size: {limit} pixels"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "image{media_place} with a side of {length} pixels, more than the {limit} that this API is known to take",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "image{media_place} with a side of {length} pixels, more than the {limit} that this API takes in requests with many images",
            api: Some("{media_path}.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: {limit} pixels"),
            also: &["An image in the conversation exceeds the dimension limit for many-image requests"],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

/// The variant for requests with many images.
pub const MANY: u8 = 2;
