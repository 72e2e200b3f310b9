//! RL108: an MCP approval response has no request.

use crate::history::{Family, Finding, Pair, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an `mcp_approval_response` whose `approval_request_id` matches no request of the history. With
    /// `previous_response_id` or `conversation` the server may have the request, and nothing is reported.
    ///
    /// ## Why it matters
    ///
    /// Azure rejects it with HTTP 400; the text was not captured. It happens when approvals of local tools are written
    /// as MCP ones, or the request was cut off.
    ///
    /// ## Fix
    ///
    /// Where it is an error, the response is dropped.
    ///
    /// ## Evidence
    ///
    /// Reported: microsoft/agent-framework#7452 (Azure). Elsewhere a warning, or off.
    ORPHAN_APPROVAL, "orphan-approval" of "responses" tags [MissingPartner], Check::Pair(check),
    [
        Variant {
            message: "mcp_approval_response {approval} has no matching request",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the response",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Orphan || cx.has_server_state() {
        return;
    }
    let row = *cx.row(pair.output);
    if row.kind.family() == Some(Family::Approval) {
        out.add(Finding::new(RULE.code, row).act(RepairAct::Drop));
    }
}
