//! RL516: a message comes after one of a role that it may not follow.

use crate::history::{Finding, RepairAct, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Mistral, a system or developer message right after a tool or assistant message. A user message
    /// right after a tool message is accepted.
    ///
    /// ## Why it matters
    ///
    /// Mistral restricts the order of roles: no tool message after a system or user message, no system message after an
    /// assistant or tool message. Otherwise it rejects the request:
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
    /// After a tool message, an assistant message is inserted that only says that none was recorded. After an assistant
    /// message, the system message becomes a user message.
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

const AFTER_ASSISTANT: u8 = 1;

static TO_USER: ValueEdit = ValueEdit::put("role", r#""user""#);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::RoleOrder) {
        return;
    }
    for pair in cx.history.messages.list.windows(2) {
        let [before, message] = pair else { continue };
        let finding = Finding::new(RULE.code, *cx.row(message.row)).with_partner(cx.row(before.row).at);
        match (before.role, message.role) {
            (Role::Tool, Role::System | Role::Developer) => out.add(finding.act(RepairAct::Bridge)),
            (Role::Assistant, Role::System | Role::Developer) => {
                out.add(finding.variant(AFTER_ASSISTANT).edit_value(&TO_USER));
            }
            _ => {}
        }
    }
}
