//! RL905: prompt cache marks.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports `cache_control` marks that are dropped.
    ///
    /// ## Why it matters
    ///
    /// A mark says up to which block a prompt is cached; the model does not see it. Without it a request costs more.
    /// Between Anthropic and Bedrock marks are kept, up to the four that both accept.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"text","text":"a long document","cache_control":{"type":"ephemeral"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: APIs without such marks cache automatically, or not at all.
    ///
    /// ## Evidence
    ///
    /// Anthropic: "A maximum of 4 blocks with cache_control may be provided."
    LOST_CACHE_MARK, "lost-cache-mark", Check::External,
    [
        Variant {
            message: "dropped cache_control of {items}",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "dropped cache_control of {items}: the target accepts only four",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
