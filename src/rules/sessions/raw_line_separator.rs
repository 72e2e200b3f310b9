//! RL686: a line of a Copilot CLI session has a raw U+2028 or U+2029.

use crate::rule::{Check, Evidence, Loss, Variant, When};

crate::rule! {
    /// ## What it does
    ///
    /// Finds U+2028 (line separator) and U+2029 (paragraph separator) in an event of the Copilot CLI that are not escaped.
    ///
    /// ## Why it matters
    ///
    /// They are legal within JSON strings, but the Copilot CLI splits `events.jsonl` at them as it does at newlines. Neither part
    /// of the event is JSON, and the session is not loaded:
    ///
    /// > Session file is corrupted (line 12: …)
    ///
    /// ## Fix
    ///
    /// They are written as the escapes `\u2028` and `\u2029`, which mean the same. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: github/copilot-cli#2490; users got sessions back by this repair.
    RAW_LINE_SEPARATOR, "raw-line-separator" about [Container], Check::Raised,
    [
        Variant {
            message: "a raw U+2028 or U+2029 in the event: the Copilot CLI splits the line there and refuses the session",
            evidence: Evidence::Reported,
            fix: "escape the line separators",
            loss: Loss::Lossless,
            when: When::Always,
            ..Variant::BASE
        },
    ]
}
