//! RL107: an MCP approval request has no response.

use crate::history::{Family, Finding, Pair, PairState, RepairAct};
use crate::rule::{self, Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an `mcp_approval_request` without an `mcp_approval_response`. At the end of a log it is waiting for the
    /// user and only a note.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > The following MCP approval requests do not have an approval: mcpr_abc
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"mcp_approval_request","id":"mcpr_1","server_label":"docs","name":"search","arguments":"{}"},
    ///  {"role":"user","content":"Never mind"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The request is dropped. It is never answered: that decision is the user's.
    ///
    /// ## Evidence
    ///
    /// Reported in ten places, most on Azure Foundry, one on OpenAI. A warning for Codex, off for servers without the
    /// item.
    UNANSWERED_APPROVAL, "unanswered-approval" of "responses" tags [MissingPartner], Check::Pair(check),
    [
        Variant {
            message: "mcp_approval_request {id} has no response",
            api: Some("The following MCP approval requests do not have an approval: {id}"),
            evidence: Evidence::Reported,
            fix: "drop the request",
            ..Variant::BASE
        },
        Variant {
            message: "mcp_approval_request {id} is still pending at the end of the log",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const PENDING: u8 = 1;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Open {
        return;
    }
    let row = *cx.row(pair.call);
    if row.kind.family() != Some(Family::Approval) {
        return;
    }
    let finding = Finding::new(RULE.code, row);
    if cx.is_pending(pair.call) {
        out.add(finding.variant(PENDING).never(rule::ANSWER_PENDING));
    } else {
        out.add(finding.act(RepairAct::Drop));
    }
}
