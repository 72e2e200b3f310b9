//! RL547: a message of the role `system` where the API does not accept one.

use crate::history::{BlockFlags, Finding, Kind, MessageSpan, RepairAct, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `system` message at the start of the messages, anywhere if the model does not support them, and
    /// otherwise if it does not follow a user message.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400. Models before Claude Opus 4.8:
    ///
    /// > role 'system' is not supported on this model
    ///
    /// Later models accept instructions within the conversation, but not at its start, and only after a user message:
    ///
    /// > messages.0: use the top-level 'system' parameter for the initial system prompt
    ///
    /// > messages.4: a system message must immediately follow a user turn
    ///
    /// It happens when messages of Chat Completions are sent as they are.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":100,"messages":[
    ///  {"role":"system","content":"Be brief"},
    ///  {"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Texts at the start are appended to the request's own `system`, and nothing is lost. Within the conversation the
    /// message becomes a user message: the text is kept, its authority is lost.
    ///
    /// ## Evidence
    ///
    /// Recorded: one request was rejected with the first sentence, and 23 with such messages were accepted by later
    /// models. The sentences about the position were each reported once; the last is a warning.
    ANTHROPIC_SYSTEM_MESSAGE, "anthropic-system-message" of "anthropic", Check::History(check),
    [
        Variant {
            message: "system message in `messages`: instructions belong in `system`",
            api: Some("role 'system' is not supported on this model"),
            evidence: Evidence::Recorded,
            fix: "move the instructions to the request's `system`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "system message at the start of `messages`: instructions belong in `system`",
            api: Some("messages.{message}: use the top-level 'system' parameter for the initial system prompt"),
            also: &["The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role."],
            evidence: Evidence::Reported,
            fix: "move the instructions to the request's `system`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "system message in `messages`: this model does not accept one there",
            api: Some("role 'system' is not supported on this model"),
            evidence: Evidence::Recorded,
            fix: "make it a user message",
            ..Variant::BASE
        },
        Variant {
            message: "system message that does not follow a user message",
            api: Some("messages.{message}: a system message must immediately follow a user turn"),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "make it a user message",
            ..Variant::BASE
        },
    ]
}

const AT_BEGINNING: u8 = 1;
const WITHIN: u8 = 2;
const NOT_AFTER_USER: u8 = 3;

static TO_USER: ValueEdit = ValueEdit::put("role", r#""user""#);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let refused = cx.has(Trait::RefusesSystemMessages);
    let mut before = Role::None;
    for message in &cx.history.messages.list {
        if message.role != Role::System {
            before = message.role;
            continue;
        }
        let finding = Finding::new(RULE.code, *cx.row(message.row));
        let to_user = || match is_text(cx, message) {
            true => finding.edit_value(&TO_USER),
            false => finding.never("it contains more than text"),
        };
        match before {
            Role::None => {
                let finding = finding.variant(if refused { 0 } else { AT_BEGINNING });
                out.add(match cx.history.settings.request {
                    _ if !is_text(cx, message) => finding.never("it contains more than text"),
                    Some(_) => finding.act(RepairAct::Hoist),
                    None => finding.never("this file has no `system` field; send the instructions there yourself"),
                });
            }
            _ if refused => out.add(to_user().variant(WITHIN)),
            Role::User => {}
            _ => out.add(to_user().variant(NOT_AFTER_USER)),
        }
    }
}

fn is_text(cx: &RuleContext<'_>, message: &MessageSpan) -> bool {
    let blocks = || message.blocks().map(|ix| cx.row(ix).kind);
    cx.row(message.row).has(BlockFlags::CONTENT) || blocks().count() > 0 && blocks().all(|kind| kind == Kind::Text)
}
