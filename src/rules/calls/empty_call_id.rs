//! RL111: a call or an output has no call_id to be paired by.

use crate::dialect::Item;
use crate::history::{Finding, Flags, Kind, KindSet, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call or an output in a log of another system whose id is empty or missing, so that it cannot be
    /// paired.
    ///
    /// ## Why it matters
    ///
    /// Replayed, it becomes an item with an empty `call_id`, which OpenAI rejects with HTTP 400:
    ///
    /// > Invalid 'input[4].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"role":"assistant","content_version":1,"content":[
    ///    {"type":"tool-call","tool_call_id":"","tool_name":"read_file","args":{}}]},
    ///  {"role":"tool","content_version":1,"content":[
    ///    {"type":"tool-result","tool_call_id":"","tool_name":"read_file","result":{}}]}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The call or the output is dropped, and its message with it if that is empty then.
    ///
    /// ## Evidence
    ///
    /// Reported for items of requests; coder's chatd removes such calls and results before it sends them. Which item of
    /// the request the server would name cannot be derived from a log, so the report does not quote its sentence.
    EMPTY_CALL_ID, "empty-call-id" of "responses", Check::Item(KindSet::of(&[Kind::FunctionCall, Kind::FunctionCallOutput]), check),
    [
        Variant {
            message: "{type} has no call_id",
            evidence: Evidence::Reported,
            fix: "drop it (it cannot be paired)",
            ..Variant::BASE
        },
    ]
}

fn check(item: &Item<'_>, out: &mut FindingSink) {
    if item.row.has(Flags::FOREIGN) && item.row.key == 0 {
        out.add(Finding::new(RULE.code, item.row).act(RepairAct::Drop));
    }
}
