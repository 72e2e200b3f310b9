//! RL506: a call or a tool message has no id.

use foldhash::{HashMap, HashSet};

use crate::history::{Finding, Kind, PairState, RepairAct, Row};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call without an `id`, and a tool message without a `tool_call_id`; an empty id counts as missing.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400. For a tool message it says:
    ///
    /// > Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.
    ///
    /// It happens with servers that return calls without ids, and with histories whose ids were stripped. Some other
    /// servers pair tool messages without an id by their order: with `--target chat-compatible` a tool message right
    /// after its call is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[
    ///  {"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","content":"sunny"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A tool message right after its call gets the id of the call. If neither has an id, and each is the only one of
    /// its step, both get the same new id. Nothing is lost in either case. Otherwise it is not known which call is
    /// answered, and the call or message without an id is dropped.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain-ai/langchain#22600, vercel/ai#2178. The schema requires both fields, and no recorded accepted
    /// request to OpenAI or Azure lacks one. 21 recorded requests to GLM (Z.ai) and Ollama have a tool message without an
    /// id right after its call and were accepted.
    CHAT_MISSING_ID, "chat-missing-id" of "chat" tags [Field, FieldOfBoth], Check::History(check),
    [
        Variant {
            message: "neither the tool call nor its tool message has an id",
            related: "the tool message is here",
            evidence: Evidence::Documented,
            fix: "give both the same id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the tool call has no id, so nothing can answer it",
            also: &["Tool call id has to be defined."],
            evidence: Evidence::Documented,
            fix: "drop the call",
            ..Variant::BASE
        },
        Variant {
            message: "the tool message has no tool_call_id",
            also: &["messages[{message}]: missing field `tool_call_id`"],
            api: Some("Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."),
            error: ErrorDetails { param: Some("messages.[{message}].tool_call_id"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "drop the message",
            ..Variant::BASE
        },
        Variant {
            message: "the tool message has no tool_call_id; only its position says which call it answers",
            related: "the call",
            api: Some("Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."),
            error: ErrorDetails { param: Some("messages.[{message}].tool_call_id"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "give it the id of its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const CALL: u8 = 1;
const REPLY: u8 = 2;
const BY_ORDER: u8 = 3;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let rows = &cx.history.rows;
    let has_no_id = |row: &Row| row.key == 0 && matches!(row.kind, Kind::ToolUse | Kind::ToolResult);
    if !rows.iter().any(has_no_id) {
        return;
    }
    let mut answered = HashSet::default();
    let pairs = cx.history.pairs.iter().filter(|pair| pair.state == PairState::Answered);
    let calls: HashMap<u32, u32> = pairs.map(|pair| (pair.output, pair.call)).collect();
    for (ix, row) in rows.iter().enumerate().filter(|(_, row)| has_no_id(row)) {
        let finding = Finding::new(RULE.code, *row);
        match row.kind {
            Kind::ToolUse => match cx.history.messages.unkeyed_answer(rows, ix as u32) {
                Some(reply) => {
                    answered.insert(reply);
                    out.add(finding.with_partner(cx.row(reply).at).act(RepairAct::Rekey));
                }
                None => out.add(finding.variant(CALL).act(RepairAct::Drop)),
            },
            Kind::ToolResult if answered.contains(&(ix as u32)) => {}
            Kind::ToolResult => match calls.get(&(ix as u32)) {
                Some(call) => {
                    out.add(finding.variant(BY_ORDER).with_partner(cx.row(*call).at).act(RepairAct::Retype))
                }
                None => out.add(finding.variant(REPLY).act(RepairAct::Drop)),
            },
            _ => {}
        }
    }
}
