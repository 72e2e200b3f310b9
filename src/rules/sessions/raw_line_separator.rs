//! RL686: a line of a Copilot CLI session has a raw U+2028 or U+2029.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds U+2028 (line separator) and U+2029 (paragraph separator) in an event of the Copilot CLI that are not escaped.
    ///
    /// ## Why it matters
    ///
    /// They are legal in JSON strings, but the Copilot CLI splits `events.jsonl` at them as at newlines. Neither part
    /// of the event is JSON, and the session is not loaded:
    ///
    /// > Session file is corrupted (line 12: …)
    ///
    /// ## Fix
    ///
    /// They are replaced by the equivalent escapes `\u2028` and `\u2029`. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: github/copilot-cli#2490; the repair restored users' sessions.
    RAW_LINE_SEPARATOR, "raw-line-separator" tags [Container], Check::External,
    [
        Variant {
            message: "a raw U+2028 or U+2029 in the event: the Copilot CLI splits the line there and cannot load the session",
            evidence: Evidence::Reported,
            fix: "escape the line separators",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
    ]
}
