//! RL002: an object has a key twice.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an object that has the same key twice, even if one of them is written with escapes.
    ///
    /// ## Why it matters
    ///
    /// Parsers differ in which value they keep, so what is replayed depends on who reads the file. `replaylint` reads
    /// the last one, as most do, and never folds them.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"message","role":"user","role":"assistant","content":"hi"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: it is not known which value was meant.
    ///
    /// ## Evidence
    ///
    /// RFC 8259, section 4: the behaviour of software that receives such an object is unpredictable.
    DUPLICATE_KEY, "duplicate-key" tags [Container], Check::External,
    [
        Variant {
            message: "duplicate key {key} in one object",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
