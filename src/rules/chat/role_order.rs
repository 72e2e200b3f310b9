//! RL516: a message comes after one of a role that it may not follow.

use crate::history::{Finding, RepairAct, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Mistral, a system or developer message right after a tool or assistant message. For Mistral's models on
    /// vLLM, SGLang, NVIDIA NIM, llama.cpp and LM Studio, finds a user message right after a tool message. La
    /// Plateforme accepts that order.
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
    /// These servers check the order with the release of mistral-common that is installed there. Before 1.11.1 (29 April
    /// 2026) it allowed no user message after a tool message:
    ///
    /// > Unexpected role 'user' after role 'tool'
    ///
    /// The release is not in the request, so this is a warning. If the server gave this error, `--proven RL516` makes it
    /// an error. It happens when the user interrupts the model between two calls.
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
    /// message, the system message becomes a user message. A newer mistral-common on the server makes the insertion
    /// unnecessary.
    ///
    /// ## Evidence
    ///
    /// Documented: mistral-common's `validator.py`; a user after a tool is allowed since its commit cdd334b, #218. Reported
    /// for that order: yetone/avante.nvim#2695, datapizza-ai#98, mistral-vibe#454, hermes-agent#20154 (NIM),
    /// pi-neuralwatt#12; but 19 recorded requests of 2026 to La Plateforme have it and were accepted.
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
        Variant {
            message: "user message directly after a tool message, which mistral-common before 1.11.1 (29 April 2026) \
                      rejects",
            related: "the tool message",
            api: Some("Unexpected role 'user' after role 'tool'"),
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "insert an assistant message between them",
            loss: Loss::Adds,
            ..Variant::BASE
        },
    ]
}

const AFTER_ASSISTANT: u8 = 1;
const USER_AFTER_TOOL: u8 = 2;

static TO_USER: ValueEdit = ValueEdit::put("role", r#""user""#);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let is_strict = cx.has(Trait::RoleOrder);
    let is_old = cx.has(Trait::OldMistralOrder);
    if !is_strict && !is_old {
        return;
    }
    for pair in cx.history.messages.list.windows(2) {
        let [before, message] = pair else { continue };
        let finding = Finding::new(RULE.code, *cx.row(message.row)).with_partner(cx.row(before.row).at);
        match (before.role, message.role) {
            (Role::Tool, Role::User) if is_old => {
                out.add(finding.variant(USER_AFTER_TOOL).act(RepairAct::Bridge));
            }
            (Role::Tool, Role::System | Role::Developer) if is_strict => out.add(finding.act(RepairAct::Bridge)),
            (Role::Assistant, Role::System | Role::Developer) if is_strict => {
                out.add(finding.variant(AFTER_ASSISTANT).edit_value(&TO_USER));
            }
            _ => {}
        }
    }
}
