//! RL903: images, audio and files that the target does not take.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports images, recordings, videos and documents that are dropped.
    ///
    /// ## Why it matters
    ///
    /// Not every API takes every kind of media, and each in its own way: Bedrock requires the bytes, Chat accepts no
    /// document given by a URL, and an id of a file means nothing to another provider.
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
    LOST_MEDIA, "lost-media", Check::Raised,
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
            message: "dropped the detail of an image: the target cannot be told how closely to look",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the name of a file: the target has no place for it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
