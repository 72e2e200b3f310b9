//! RL912: records that gave nothing.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports conversations that were not written.
    ///
    /// ## Why it matters
    ///
    /// A conversation of which nothing is left, or one that the target would still reject, is not written: half a
    /// conversion is worse than none. Nor is one with a text that is not UTF-8, which no JSON parser would read.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"item_reference","id":"msg_1"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None. Run `replaylint fix -w FILE` on a source whose calls and results do not match, then convert it.
    ///
    /// ## Evidence
    ///
    /// The result is checked by the rules of the target.
    NOT_CONVERTED, "not-converted", Check::Raised,
    [
        Variant {
            message: "nothing in this conversation can be converted for the target",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the result would be rejected (RL{arg}): run `replaylint fix -w FILE` first",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the result would not be valid UTF-8, because a text of this conversation is not: run \
                      `replaylint check` to see where",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
