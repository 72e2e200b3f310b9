//! RL667: a stored message or part lacks a field that its agent requires.

use crate::rule::{Autofix, Check, Evidence, Loss, Variant};
use crate::target::Levels;

const fn missing_field(message: &'static str) -> Variant {
    Variant {
        message,
        levels: Levels::WARNING,
        evidence: Evidence::Reported,
        fix: "add the fields with the values that opencode itself fills in",
        loss: Loss::Lossless,
        autofix: Autofix::Always,
        ..Variant::BASE
    }
}

crate::rule! {
    /// ## What it does
    ///
    /// Finds messages and parts of an opencode session without a field that opencode requires: `agent` of a user
    /// message; `parentID`, `mode` and `agent` of an answer; `reason` of a `step-finish` part; `title`, `metadata` and
    /// `time` of a completed tool part; `auto` of a `compaction` part.
    ///
    /// ## Why it matters
    ///
    /// opencode's server validates stored data when a session is opened, and answers HTTP 400: the session cannot be
    /// opened. Newer versions fill in the fields; others do not.
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
    /// The fields get the values that opencode fills in: `build` for `agent` and `mode`, the previous message for
    /// `parentID`, `stop` for `reason`, the name of the tool for `title`, an empty `metadata`, the time of the message,
    /// `false` for `auto`.
    ///
    /// ## Evidence
    ///
    /// Reported: anomalyco/opencode#29908.
    INCOMPLETE_RECORD, "incomplete-record", Check::External,
    [
        missing_field("the user message has no `agent`: opencode may not open the session"),
        missing_field("the answer has no `parentID`, `mode` or `agent`: opencode may not open the session"),
        missing_field("the `step-finish` part has no `reason`: opencode may not open the session"),
        missing_field("the completed tool part has no `title`, `metadata` or `time`: opencode may not open the session"),
        missing_field("the `compaction` part has no `auto`: opencode may not open the session"),
    ]
}
