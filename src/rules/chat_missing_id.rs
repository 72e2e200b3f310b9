//! RL506: a call or a reply does not say which it is.

use std::collections::HashSet;

use crate::history::{Act, Code, Finding, Kind};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call without an `id`, and a tool message without a `tool_call_id`; an empty one is none.
    ///
    /// ## Why it matters
    ///
    /// The API refuses the request with HTTP 400. Of a tool message it says:
    ///
    /// > Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.
    ///
    /// It happens with servers that hand out calls without ids, and with histories whose ids were stripped.
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
    /// If the call is the only one of its message, and one reply without an id stands behind it, both get one id,
    /// and nothing is lost. Else which belongs to which is not told, and what has no id is dropped.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain-ai/langchain#22600, vercel/ai#2178. The schema requires both fields. No recorded
    /// accepted request lacks one.
    506, "chat-missing-id", Check::History(check),
    [
        Variant {
            message: "the call has no id, nor has its reply",
            related: "the reply stands here",
            evidence: Evidence::Documented,
            fix: "give both one id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the call has no id, so nothing can answer it",
            evidence: Evidence::Documented,
            fix: "drop the call",
            ..Variant::BASE
        },
        Variant {
            message: "the tool message names no call",
            api: Some("Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."),
            answer: Answer { param: Some("messages.[{message}].tool_call_id"), ..Answer::HISTORY },
            evidence: Evidence::Reported,
            fix: "drop the message",
            ..Variant::BASE
        },
    ]
}

const CALL: u8 = 1;
const REPLY: u8 = 2;

fn check(cx: &Cx<'_>, out: &mut Out) {
    let rows = &cx.history.rows;
    let mut answered = HashSet::new();
    for (ix, row) in rows.iter().enumerate().filter(|(_, row)| row.key == 0) {
        let finding = Finding::new(Code(506), *row);
        match row.kind {
            Kind::ToolUse => match cx.history.turns.unkeyed_answer(rows, ix as u32) {
                Some(reply) => {
                    answered.insert(reply);
                    out.add(finding.with(cx.row(reply).at).act(Act::Rekey));
                }
                None => out.add(finding.variant(CALL).act(Act::Drop)),
            },
            Kind::ToolResult if !answered.contains(&(ix as u32)) => out.add(finding.variant(REPLY).act(Act::Drop)),
            _ => {}
        }
    }
}
