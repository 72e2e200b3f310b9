//! RL516: a role comes after one that it may not follow.

use crate::history::{Act, Finding, Role};
use crate::json::mend::Mend;
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Mistral, a system or developer message right after a tool or assistant message. A user message
    /// right after a tool message is accepted.
    ///
    /// ## Why it matters
    ///
    /// Mistral lets only some roles follow each other: after the system or the user all but a tool, after the
    /// assistant or a tool all but the system. Otherwise it rejects the request:
    ///
    /// > Unexpected role 'system' after role 'tool'
    ///
    /// It happens when a program adds instructions in the middle of a conversation.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"mistral-large-latest","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"abcdefgh1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"abcdefgh1","content":"sunny"},
    ///  {"role":"system","content":"Be brief"},
    ///  {"role":"user","content":"Thanks"}]}
    /// ```
    ///
    /// (with `--target mistral`)
    ///
    /// ## Fix
    ///
    /// After a tool message, an assistant message is inserted, which says only that none was recorded. After an
    /// assistant message, the system message becomes a user message.
    ///
    /// ## Evidence
    ///
    /// Documented: mistral-common's `validator.py`. Reported for a user after a tool: yetone/avante.nvim#2695,
    /// pi-neuralwatt#12; but 19 recorded requests of 2026 have that order and were accepted.
    CHAT_ROLE_ORDER, "chat-role-order" of "chat", Check::History(check),
    [
        Variant {
            message: "{role} message directly after a {partner_role} message",
            related: "the previous message",
            evidence: Evidence::Documented,
            fix: "insert an assistant message between them",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "{role} message directly after a {partner_role} message",
            related: "the previous message",
            evidence: Evidence::Documented,
            fix: "make it a user message",
            ..Variant::BASE
        },
    ]
}

const BEHIND_ASSISTANT: u8 = 1;

static TO_USER: Mend = Mend::put("role", r#""user""#);

fn check(cx: &Cx<'_>, out: &mut Out) {
    if !cx.has(Trait::RoleOrder) {
        return;
    }
    for pair in cx.history.messages.list.windows(2) {
        let [before, message] = pair else { continue };
        let finding = Finding::new(RULE.code, *cx.row(message.row)).with(cx.row(before.row).at);
        match (before.role, message.role) {
            (Role::Tool, Role::System | Role::Developer) => out.add(finding.act(Act::Bridge)),
            (Role::Assistant, Role::System | Role::Developer) => {
                out.add(finding.variant(BEHIND_ASSISTANT).mend(&TO_USER));
            }
            _ => {}
        }
    }
}
