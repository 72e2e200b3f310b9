//! RL903: images, audio and files that the target does not accept.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports images, recordings, videos and documents that are dropped.
    ///
    /// ## Why it matters
    ///
    /// APIs accept different kinds of media in different forms: Bedrock requires the bytes, Chat accepts no document
    /// given by a URL, and a file id means nothing to another provider.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"input_image","file_id":"file-1"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: nothing is downloaded. Embed the data in the source to keep it.
    ///
    /// ## Evidence
    ///
    /// Schemas of the five APIs.
    LOST_MEDIA, "lost-media", Check::External,
    [
        Variant {
            message: "dropped media: the target does not accept this kind here",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped a file: only its provider can read it by its id",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped an image or file URL: the target accepts inline data only",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the detail of an image: the target has no such setting",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the name of a file: the target has no field for it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
