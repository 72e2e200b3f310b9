//! RL001: the record is not JSON.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a document or a line that is not JSON: cut in the middle, NaN or Infinity (Python writes them unless it is
    /// told not to), a control character or an unknown escape inside a string, a missing comma, text behind the value,
    /// or a record longer than `--max-record-size`.
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
    /// None: what the text was meant to be is not known. Mend it by hand at the place shown; the other records are
    /// checked and repaired as usual.
    ///
    /// ## Evidence
    ///
    /// RFC 8259; every strict parser refuses these.
    1, "invalid-json", Check::Raised,
    [
        Variant {
            message: "not valid JSON: {fault}",
            answer: Answer::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}
