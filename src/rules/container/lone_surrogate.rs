//! RL006: a string contains half of a surrogate pair.

use crate::rule::{Autofix, Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an escape such as `\ud83d` without its other half: text that was cut inside an emoji.
    ///
    /// ## Why it matters
    ///
    /// The grammar of JSON allows the escape, but it encodes no character. Python writes it, many parsers reject it,
    /// and servers differ.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"user","content":"thanks \ud83d"}
    /// ```
    ///
    /// ## Fix
    ///
    /// In a tool result of a Claude Code session, the half is replaced by U+FFFD: there the agent cut the text, and
    /// nothing is signed. Elsewhere nothing is changed: the other half is lost.
    ///
    /// ## Evidence
    ///
    /// RFC 8259, section 8.2: the behaviour of software that receives such a text is unpredictable. The Anthropic API rejects
    /// it as invalid JSON ("no low surrogate in string"); Claude Code replaces it before it sends since 2.1.132
    /// (anthropics/claude-code#1709, #3995).
    LONE_SURROGATE, "lone-surrogate" tags [Container], Check::External,
    [
        Variant {
            message: "a string contains half of a surrogate pair",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a tool result contains half of a surrogate pair",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "replace it with U+FFFD",
            autofix: Autofix::Always,
            ..Variant::BASE
        },
    ]
}
