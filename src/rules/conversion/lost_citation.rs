//! RL904: citations and annotations of a text.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports texts that lose their citations.
    ///
    /// ## Why it matters
    ///
    /// Citations refer to search results and documents in the provider's own format. The text is kept without its
    /// sources.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"output_text","text":"It rains.","annotations":[{"type":"url_citation","url":"https://example.com"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the other API has no equivalent, or one that refers to missing content.
    ///
    /// ## Evidence
    ///
    /// inspect_ai strips citations for the same reason.
    LOST_CITATION, "lost-citation", Check::External,
    [
        Variant {
            message: "dropped the citations of a text",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped the request to cite a document",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
