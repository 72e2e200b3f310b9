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
    /// In a message of a session of Claude Code, except in signed thinking, or of Codex, the half is replaced by U+FFFD. Elsewhere
    /// nothing is changed: the other half is lost.
    ///
    /// ## Evidence
    ///
    /// RFC 8259, section 8.2: the behaviour of software that receives such a text is unpredictable. The Anthropic API rejects
    /// it as invalid JSON ("no low surrogate in string"). For sessions of Claude Code it is an error up to version 2.1.170, where
    /// users report that no message can be sent any more (anthropics/claude-code#60394, #61301, #68325, #69927), and a warning
    /// up to 2.1.232; there are no such reports for 2.1.233. Recorded: Codex 0.169 cannot read the line, and sends the rest without it.
    LONE_SURROGATE, "lone-surrogate" tags [Container], Check::External,
    [
        Variant {
            message: "a string contains half of a surrogate pair",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "a message contains half of a surrogate pair",
            also: &[
                "The request body is not valid JSON: no low surrogate in string",
                "The request body is not valid JSON: invalid high surrogate in string",
                "The request body is not valid JSON: invalid low surrogate in string",
            ],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "replace it with U+FFFD",
            autofix: Autofix::Always,
            ..Variant::BASE
        },
    ]
}
