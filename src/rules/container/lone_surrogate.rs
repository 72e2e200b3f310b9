//! RL006: a string holds half of a surrogate pair.

use crate::rule::{Check, Evidence, Variant, When};
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
    /// None: the other half is lost. In a result of a tool that a session of Claude Code holds, the half gives way to
    /// U+FFFD; there the text was cut by the agent, and nothing is signed.
    ///
    /// ## Evidence
    ///
    /// RFC 8259, section 8.2: the behaviour of software that receives such a text is unpredictable. The Anthropic API rejects
    /// it as invalid JSON ("no low surrogate in string"); Claude Code replaces it before it sends since 2.1.132
    /// (anthropics/claude-code#1709, #3995).
    LONE_SURROGATE, "lone-surrogate" about [Container], Check::Raised,
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
            when: When::Always,
            ..Variant::BASE
        },
    ]
}
