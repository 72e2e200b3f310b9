//! RL531: a `tool_result` answers no `tool_use` of the previous message.

use crate::history::{Finding, ORPHAN, Pair, PairState};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_result` block whose `tool_use_id` is not the id of a `tool_use` in the preceding assistant
    /// message, nor of any other unanswered call.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_abc. Each `tool_result`
    /// > block must have a corresponding `tool_use` block in the previous message.
    ///
    /// It happens when a history is cut from the front, or compacted while a call was open.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"sunny"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The result is dropped, and its message with it if that is empty then. What the tool returned is lost for the
    /// model; `--dropped FILE` keeps it.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#18947 and many more.
    ANTHROPIC_ORPHAN_RESULT, "anthropic-orphan-result" of "anthropic" tags [MissingPartner], Check::Pair(check),
    [
        Variant {
            message: "orphaned tool_result {call_id}: no tool_use with this id in the previous message",
            api: Some(
                "messages.{message}.content.{block}: unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. \
                 Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
            ),
            evidence: Evidence::Reported,
            fix: "drop the result",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Orphan {
        return;
    }
    out.add(Finding::new(RULE.code, *cx.row(pair.output)).remedy(ORPHAN));
}
