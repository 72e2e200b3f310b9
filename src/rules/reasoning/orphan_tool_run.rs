//! RL207: reasoning without its calls is followed by their outputs.

use crate::history::{Finding, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning without its item, followed by outputs none of which has a call in the history: the calls between
    /// them are lost. RL102 and RL202 are not reported for the same items. If any of the outputs has a call, or the
    /// server may have one (`previous_response_id`, `conversation`), nothing is reported.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the outputs, and then the reasoning, with HTTP 400:
    ///
    /// > No tool call found for function call output with call_id call_abc.
    ///
    /// It happens when a client loses the calls of an interrupted turn, or keeps only the kinds of items that it knows.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"role":"user","content":"Go"},
    ///  {"type":"reasoning","id":"rs_1","summary":[]},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"},
    ///  {"role":"user","content":"And?"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The whole run of outputs is dropped. The reasoning loses its id and keeps its encrypted content; without that,
    /// it is dropped, too. The items around them are not changed or merged.
    ///
    /// ## Evidence
    ///
    /// Reported with its repair: coder/coder#24722 and #24721 (chatd drops the same runs before each request).
    ORPHAN_TOOL_RUN, "orphan-tool-run" of "responses" tags [MissingPartner, Identity], Check::History(check),
    [
        Variant {
            message: "orphaned tool run: the calls between reasoning {any_id} and the {outputs} after it are missing",
            related: "the first of the outputs",
            api: Some("No tool call found for {partner_noun} with call_id {partner_call_id}."),
            evidence: Evidence::Reported,
            fix: "drop the outputs, and remove the id of the reasoning",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for run in &cx.history.call_patterns.orphan_runs {
        let first = cx.row(run.group.end);
        let finding = Finding::new(RULE.code, *cx.row(run.group.start)).with_partner(first.at);
        out.add(finding.arg(run.outputs().len() as u32).act(RepairAct::Drop));
    }
}
