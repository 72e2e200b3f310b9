//! RL006: a string holds half of a surrogate pair.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an escape such as `\ud83d` without its other half: text that was cut inside an emoji.
    ///
    /// ## Why it matters
    ///
    /// The grammar of JSON allows the escape, but it encodes no character. Python writes it, many parsers reject it, and
    /// what a server makes of it is not known.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"user","content":"thanks \ud83d"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the other half is lost.
    ///
    /// ## Evidence
    ///
    /// RFC 8259, section 8.2: the behaviour of software that receives such a text is unpredictable.
    6, "lone-surrogate" about [Container], Check::Raised,
    [
        Variant {
            message: "a string contains half of a surrogate pair",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
