//! RL516: a message comes after one of a role that it may not follow.

use crate::history::{Finding, RepairAct, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Mistral, a system or developer message right after a tool or assistant message. For Mistral's models
    /// on vLLM, SGLang, NVIDIA NIM, llama.cpp and LM Studio, finds a user message right after a tool message. La
    /// Plateforme rejected that order until about December 2025, and accepts it now.
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
    /// vLLM, SGLang and NIM check the order with the release of mistral-common that is installed there. Before 1.11.1
    /// (29 April 2026) it allowed no user message after a tool message:
    ///
    /// > Unexpected role 'user' after role 'tool'
    ///
    /// llama.cpp and LM Studio use the model's template, which may have the same restriction. The request shows neither
    /// release nor template, so this is a warning. If one of these servers gave this error, `--proven RL516` makes it
    /// an error. It happens when the user interrupts the model between two calls, and when a program adds a reminder to
    /// the results.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"mistral-large-latest","messages":[
    ///  {"role":"assistant","tool_calls":[
    ///   {"id":"abcdefgh1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"abcdefgh1","content":"sunny"},
    ///  {"role":"system","content":"Be brief"},
    ///  {"role":"user","content":"Thanks"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A system message after a tool or assistant message becomes a user message. Before a user message after a tool
    /// message an assistant message is inserted that only says that none was recorded; where that is a warning, this
    /// requires `--fix-warnings`. It needs no insertion if the server has mistral-common 1.11.1 or newer.
    ///
    /// ## Evidence
    ///
    /// Documented: mistral-common's `validator.py`; a user after a tool is allowed since its commit cdd334b,
    /// mistralai/mistral-common#218. Reported for that order: yetone/avante.nvim#2695 (Avante now inserts a message),
    /// onyx-dot-app/onyx#6458, datapizza-ai#98 (December 2025), mistralai/mistral-vibe#454 (Vibe 2.3.0 on vLLM),
    /// NousResearch/hermes-agent#20154 (NIM), aliou/pi-neuralwatt#12. La Plateforme accepted recorded requests of 2026
    /// with it.
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

const AS_USER: u8 = 1;
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
            (Role::Tool, Role::System | Role::Developer) if is_strict && is_old => {
                out.add(finding.act(RepairAct::Bridge));
            }
            (Role::Tool, Role::System | Role::Developer) if is_strict => {
                out.add(finding.variant(AS_USER).edit_value(&TO_USER));
            }
            (Role::Assistant, Role::System | Role::Developer) if is_strict => {
                out.add(finding.variant(AS_USER).edit_value(&TO_USER));
            }
            _ => {}
        }
    }
}
