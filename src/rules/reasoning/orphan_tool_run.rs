//! RL207: a turn of nothing but reasoning is followed by outputs that no call announced.

use crate::history::{Act, Finding};
use crate::rule::{Check, Cx, Evidence, Out, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning without its item, followed by outputs none of which has a call in the history: the calls
    /// between them are lost. It covers all of them: RL102 and RL202 are not raised on the same items. If any of the
    /// outputs has a call, or the server may hold one (`previous_response_id`, `conversation`), the rule is silent.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the outputs, and then the reasoning, with HTTP 400:
    ///
    /// > No tool call found for function call output with call_id call_abc.
    ///
    /// It happens when a client loses the calls of an interrupted turn, or keeps only kinds of items that it knows.
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
    /// The whole run of outputs is dropped. The reasoning loses its id and keeps its encrypted content; without that, it is
    /// dropped, too. The items around them stay as they are and are not merged.
    ///
    /// ## Evidence
    ///
    /// Reported with its repair: coder/coder#24722 and #24721 (chatd drops the same runs before each request).
    ORPHAN_TOOL_RUN, "orphan-tool-run" of "responses" about [MissingPartner, Identity], Check::History(check),
    [
        Variant {
            message: "orphaned tool run: reasoning {any_id} has no item after it, and the {outputs} that \
                      follow have no matching call",
            related: "the first of the outputs",
            api: Some("No tool call found for {partner_noun} with call_id {partner_call_id}."),
            evidence: Evidence::Reported,
            fix: "drop the outputs, and remove the id of the reasoning",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    for run in &cx.history.shapes.orphan_runs {
        let first = cx.row(run.group.end);
        let finding = Finding::new(RULE.code, *cx.row(run.group.start)).with(first.at);
        out.add(finding.arg(run.outputs().len() as u32).act(Act::Drop));
    }
}
