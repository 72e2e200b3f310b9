//! RL107: an MCP approval request has no response.

use crate::history::{Act, Family, Finding, Pair, PairState};
use crate::rule::{self, Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an `mcp_approval_request` without an `mcp_approval_response`. At the end of a log it is waiting for
    /// the user and is only noted.
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
    /// The request is dropped. It is never answered: that would be a decision taken for the user.
    ///
    /// ## Evidence
    ///
    /// Reported in ten places, most on Azure Foundry, one on OpenAI. A warning for Codex, silent for servers without the
    /// item.
    UNANSWERED_APPROVAL, "unanswered-approval" of "responses" about [MissingPartner], Check::Pair(check),
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

fn check(cx: &Cx<'_>, pair: &Pair, out: &mut Out) {
    if pair.state != PairState::Open {
        return;
    }
    let row = *cx.row(pair.call);
    if row.kind.family() != Some(Family::Approval) {
        return;
    }
    let finding = Finding::new(RULE.code, row);
    if cx.is_pending(pair.call) {
        out.add(finding.variant(PENDING).never(rule::ABOUT_TO_BE_ANSWERED));
    } else {
        out.add(finding.act(Act::Drop));
    }
}
