//! RL667: a stored message or part lacks a field that its agent requires.

use crate::rule::{Check, Evidence, Loss, Variant, When};
use crate::target::Levels;

const fn of(message: &'static str) -> Variant {
    Variant {
        message,
        levels: Levels::WARNING,
        evidence: Evidence::Reported,
        fix: "add the fields with the values that opencode itself fills in",
        loss: Loss::Lossless,
        when: When::Always,
        ..Variant::BASE
    }
}

crate::rule! {
    /// ## What it does
    ///
    /// Finds messages and parts of an opencode session without a field that opencode requires of them: `agent` of a user
    /// message; `parentID`, `mode` and `agent` of an answer; `reason` of a `step-finish` part; `title`, `metadata` and `time` of a
    /// completed tool part; `auto` of a `compaction` part.
    ///
    /// ## Why it matters
    ///
    /// opencode's server validates what it stores when a session is opened, and answers HTTP 400: the session cannot be
    /// opened. Newer versions fill the fields in; others do not.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"info":{"id":"ses_1","directory":"/work"},"messages":[
    ///  {"info":{"id":"msg_1","role":"user","model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"}},
    ///   "parts":[{"type":"text","text":"Hi"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The values are added that opencode fills in: `build` for `agent` and `mode`, the previous message for `parentID`, `stop` for
    /// `reason`, the name of the tool for `title`, an empty `metadata`, the time of the message, `false` for `auto`.
    ///
    /// ## Evidence
    ///
    /// Reported: anomalyco/opencode#29908.
    INCOMPLETE_RECORD, "incomplete-record", Check::Raised,
    [
        of("the user message has no `agent`: opencode may not open the session"),
        of("the answer has no `parentID`, `mode` or `agent`: opencode may not open the session"),
        of("the `step-finish` part has no `reason`: opencode may not open the session"),
        of("the completed tool part has no `title`, `metadata` or `time`: opencode may not open the session"),
        of("the `compaction` part has no `auto`: opencode may not open the session"),
    ]
}
