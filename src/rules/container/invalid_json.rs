//! RL001: the record is not JSON.

use crate::rule::{Check, Evidence, Variant, When};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a document or a line that is not valid JSON: truncated, with NaN or Infinity (Python writes them by
    /// default), with an unescaped control character or an invalid escape inside a string, with a missing comma or
    /// text after the value; or a record longer than `--max-record-size`. Damage of a log whose records can be recovered is
    /// reported as RL008 to RL011 instead.
    ///
    /// ## Why it matters
    ///
    /// Nothing that reads JSON can replay the record. In a log that is one history, the unreadable record may hold the
    /// call whose output follows, so repairs that rest on a missing partner are not made there.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call_output","call_id":"call_1","output":NaN}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the intended text is not known. Correct it by hand at the place shown; the other records are checked
    /// and repaired as usual.
    ///
    /// In a session whose lines name one another (Claude Code, Kode, pi, OpenClaw, Qwen Code, Droid), and for a part in a
    /// database of opencode, `--fix-warnings` puts a line in its place that says nothing, if its name and the one that it
    /// follows can be read: what comes before it is reached again. What the line said is lost; `--dropped` keeps it.
    ///
    /// ## Evidence
    ///
    /// RFC 8259; every strict parser rejects these.
    INVALID_JSON, "invalid-json" about [Container], Check::Raised,
    [
        Variant {
            message: "not valid JSON: {fault}",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "not valid JSON: {fault}; its name and what it follows can be read",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            fix: "put a line in its place that says nothing and keeps the chain",
            when: When::Asked,
            ..Variant::BASE
        },
    ]
}
