//! RL001: the record is not JSON.

use crate::rule::{Autofix, Check, Evidence, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a document or a line that is not valid JSON: truncated, with NaN or Infinity (Python writes them by
    /// default), with an unescaped control character or an invalid escape inside a string, with a missing comma or text
    /// after the value; also a record longer than `--max-record-size`. Damage of a log whose records can be recovered
    /// is reported as RL008 to RL011 instead.
    ///
    /// ## Why it matters
    ///
    /// No JSON parser can replay the record. In a log that is one history, the unreadable record may contain the call
    /// whose output follows, so nothing in it is repaired for a missing partner.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":NaN}
    /// ```
    ///
    /// ## Fix
    ///
    /// `fix` cannot know the intended text. Correct it manually at the place shown; the other records are checked and
    /// repaired as usual.
    ///
    /// In a session whose lines name one another (Claude Code, Kode, pi, OpenClaw, Qwen Code, Droid), and for a part in
    /// a database of opencode, `--fix-warnings` replaces it with an empty placeholder line if its id and its parent can
    /// still be read, so that everything before it can be reached again. The content of the line is lost; `--dropped`
    /// keeps it.
    ///
    /// Kimi Code loses everything after the line. There the line is removed: what can be read after it is sent again.
    ///
    /// ## Evidence
    ///
    /// RFC 8259; every strict parser rejects these. Recorded: after one missing quote, Kimi Code 2.1 sent two of four turns.
    INVALID_JSON, "invalid-json" tags [Container], Check::External,
    [
        Variant {
            message: "not valid JSON: {fault}",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "not valid JSON: {fault}; its id and parent can still be read",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            fix: "replace it with an empty placeholder line that keeps the chain intact",
            autofix: Autofix::OnRequest,
            ..Variant::BASE
        },
        Variant {
            message: "not valid JSON: {fault}; the agent loses everything after it",
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            fix: "remove the line",
            ..Variant::BASE
        },
    ]
}
