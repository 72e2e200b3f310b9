//! RL516: a role stands behind one that it may not follow.

use crate::dialects::chat::field;
use crate::history::{Act, Code, Finding, Role};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Mistral, a message of the user or the system right behind one of a tool, and one of the system
    /// behind one of the assistant.
    ///
    /// ## Why it matters
    ///
    /// Mistral lets only some roles follow each other: behind the system or the user all but a tool, behind the
    /// assistant the assistant, the user or a tool, behind a tool the assistant or a tool. Else it refuses the
    /// request:
    ///
    /// > Unexpected role 'user' after role 'tool'
    ///
    /// It happens when a run is interrupted after a tool has run, and the user speaks before the model does.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"mistral-large-latest","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"abcdefgh1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"abcdefgh1","content":"sunny"},
    ///  {"role":"user","content":"Thanks"}]}
    /// ```
    ///
    /// (with `--target mistral`)
    ///
    /// ## Fix
    ///
    /// Behind a tool, a message of the assistant comes between that says that none was recorded; it claims nothing. Behind the
    /// assistant, the message of the system becomes one of the user.
    ///
    /// ## Evidence
    ///
    /// Documented: mistral-common's `validator.py`. Reported: yetone/avante.nvim#2695, pi-neuralwatt#12.
    516, "chat-role-order", Check::History(check),
    [
        Variant {
            message: "a message of the {role} stands right behind one of the {partner_role}",
            related: "the message in front",
            evidence: Evidence::Documented,
            fix: "put a message of the assistant between",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "a message of the {role} stands right behind one of the {partner_role}",
            related: "the message in front",
            evidence: Evidence::Documented,
            fix: "make it a message of the user",
            ..Variant::BASE
        },
    ]
}

const BEHIND_ASSISTANT: u8 = 1;

fn check(cx: &Cx<'_>, out: &mut Out) {
    if !cx.has(Trait::RoleOrder) {
        return;
    }
    for pair in cx.history.turns.turns.windows(2) {
        let [before, turn] = pair else { continue };
        let finding = Finding::new(Code(516), *cx.row(turn.row)).with(cx.row(before.row).at);
        match (before.role, turn.role) {
            (Role::Tool, Role::User | Role::System | Role::Developer) => out.add(finding.act(Act::Bridge)),
            (Role::Assistant, Role::System | Role::Developer) => {
                out.add(finding.variant(BEHIND_ASSISTANT).act(Act::Field(field::USER_ROLE)));
            }
            _ => {}
        }
    }
}
