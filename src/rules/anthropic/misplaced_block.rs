//! RL534: a block is in a message of the wrong role.

use crate::history::{Finding, Kind, PairState, RepairAct, Role};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_result` in an assistant message, the result of a server-side tool in a user message, and calls
    /// or thinking outside assistant messages.
    ///
    /// ## Why it matters
    ///
    /// The API rejects results in the wrong place with HTTP 400:
    ///
    /// > messages.9: `tool_result` blocks can only be in `user` messages
    ///
    /// > messages.9: `web_search_tool_result` blocks can only be in `assistant` messages
    ///
    /// It happens when a client stores a whole agent step as one message. That assistant blocks are rejected in user
    /// messages is inferred from this, and a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[
    ///   {"type":"tool_use","id":"toolu_1","name":"f","input":{}},
    ///   {"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A client-side result is moved to the next user message, and nothing is lost. A block of another kind is
    /// dropped.
    ///
    /// ## Evidence
    ///
    /// Both sentences come from live probes.
    ANTHROPIC_MISPLACED_BLOCK, "anthropic-misplaced-block" of "anthropic", Check::History(check),
    [
        Variant {
            message: "tool_result {call_id} is in an assistant message",
            api: Some("messages.{message}: `tool_result` blocks can only be in `user` messages"),
            evidence: Evidence::Reported,
            fix: "move the result to the next user message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} is not in an assistant message",
            api: Some("messages.{message}: `{type}` blocks can only be in `assistant` messages"),
            evidence: Evidence::Reported,
            fix: "drop the result",
            ..Variant::BASE
        },
        Variant {
            message: "{type} is not in an assistant message",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "drop the block",
            autofix: Autofix::Always,
            ..Variant::BASE
        },
    ]
}

const SERVER_RESULT: u8 = 1;
const OF_MODEL: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for pair in cx.history.pairs.iter().filter(|pair| pair.state == PairState::Answered) {
        let row = cx.row(pair.output);
        if row.role == Role::Assistant {
            out.add(Finding::new(RULE.code, *row).act(RepairAct::Reorder));
        }
    }
    for row in cx.history.rows.iter().filter(|row| matches!(row.role, Role::User | Role::System)) {
        let finding = Finding::new(RULE.code, *row).act(RepairAct::Drop);
        match row.kind {
            Kind::ServerResult => out.add(finding.variant(SERVER_RESULT)),
            Kind::ToolUse | Kind::ServerUse | Kind::Thinking => out.add(finding.variant(OF_MODEL)),
            _ => {}
        }
    }
}
