//! RL912: conversations that were not converted.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports conversations that were not written.
    ///
    /// ## Why it matters
    ///
    /// A conversation that would be empty, or that the target would still reject, is not written: half a conversion is
    /// worse than none. Nor is one with a text that is not UTF-8, which no JSON parser accepts.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"item_reference","id":"msg_1"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None. If calls and results of the source do not match, run `replaylint fix -w FILE`, then convert it.
    ///
    /// ## Evidence
    ///
    /// The result is checked against the rules of the target.
    NOT_CONVERTED, "not-converted", Check::External,
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
            message: "the result would be rejected (RL{arg}), and `fix` has no repair for it: see `replaylint explain RL{arg}`",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a text of this conversation is not valid UTF-8: run `replaylint check` to find it",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
