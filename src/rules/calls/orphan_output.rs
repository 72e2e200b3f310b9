//! RL102: an output has no call.

use crate::history::{Family, Finding, ORPHAN, Pair, PairState};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds an output whose `call_id` matches no call of the history. With `previous_response_id` or `conversation`
    /// the server may have the call, and nothing is reported.
    ///
    /// ## Why it matters
    ///
    /// Every provider rejects the history. OpenAI answers HTTP 400:
    ///
    /// > No tool call found for function call output with call_id call_abc.
    ///
    /// and likewise "… for custom tool call output with call_id", "… for computer call with call_id". It happens when a
    /// history is cut from the front, compacted while a call was open, or lost its `previous_response_id` at a proxy.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"function_call_output","call_id":"call_1","output":"sunny"},
    ///  {"role":"user","content":"Thanks"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The output is dropped. What the tool returned is lost for the model; `--dropped FILE` keeps it, and with
    /// `--orphans text` it becomes a text of the user.
    ///
    /// ## Evidence
    ///
    /// Reported: microsoft/vscode#320060, continuedev/continue#10092, agno-agi/agno#9372, langchain-ai/open-swe#2933. The
    /// only recorded accepted requests with such an output had server state.
    ORPHAN_OUTPUT, "orphan-output" of "responses" tags [MissingPartner], Check::Pair(check),
    [
        Variant {
            message: "{type} {call_id} has no matching call",
            api: Some("No tool call found for {noun} with call_id {call_id}."),
            evidence: Evidence::Reported,
            fix: "drop the output",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Orphan || cx.has_server_state() || cx.history.call_patterns.explains(pair.output) {
        return;
    }
    let row = *cx.row(pair.output);
    if row.kind.family() != Some(Family::Approval) {
        out.add(Finding::new(RULE.code, row).remedy(ORPHAN));
    }
}
