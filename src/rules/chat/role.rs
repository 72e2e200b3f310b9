//! RL512: a message has a role that the API or the model does not accept.

use crate::history::{Finding, Flags, Role};
use crate::json::name;
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message with a role that Chat does not have; a system or developer message for a model that does not
    /// accept them; and the role `developer` for servers that do not know it.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Unsupported value: 'messages[0].role' does not support 'developer' with this model.
    ///
    /// > Invalid value: 'tooool'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and
    /// > 'developer'.
    ///
    /// Many compatible servers do not know `developer` and answer `unknown variant 'developer'`.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"o1-mini","messages":[{"role":"developer","content":"Be brief"},{"role":"user","content":"Hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Where the model accepts no instructions, the message becomes a user message; where `developer` is unknown, a
    /// system message. The text is kept, its authority is lost. An unknown role is not guessed.
    ///
    /// ## Evidence
    ///
    /// Recorded: two requests to o1-mini, rejected with this sentence. Reported for unknown roles and for
    /// `developer` on compatible servers.
    CHAT_ROLE, "chat-role" of "chat" tags [Field], Check::History(check),
    [
        Variant {
            message: "unknown role {role}",
            api: Some("Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."),
            error: ErrorDetails { param: Some("messages[{message}].role"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the model does not accept messages with the role {role}",
            api: Some("Unsupported value: 'messages[{message}].role' does not support '{role}' with this model."),
            also: &[
                "chat content has invalid message role: {role}",
                "'{role}' is not an allowed role. The allowed roles are",
            ],
            error: ErrorDetails {
                param: Some("messages[{message}].role"),
                code: Some("unsupported_value"),
                ..ErrorDetails::HISTORY
            },
            evidence: Evidence::Recorded,
            fix: "make it a user message",
            ..Variant::BASE
        },
        Variant {
            message: "the role `developer` exists only on OpenAI's servers",
            also: &["unknown variant 'developer'"],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "make it a system message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "a tool message, which `inference:complete` of this server does not know",
            also: &["unknown role \"tool\""],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const REFUSED: u8 = 1;
const DEVELOPER: u8 = 2;
const TOOL: u8 = 3;

static TO_USER: ValueEdit = ValueEdit::put("role", r#""user""#);
static TO_SYSTEM: ValueEdit = ValueEdit::put("role", r#""system""#);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if cx.has(Trait::NoToolRole) {
        let mut results = cx.history.messages.list.iter().filter(|message| message.role == Role::Tool);
        // One says it for all.
        if let Some(first) = results.next() {
            let finding = Finding::new(RULE.code, *cx.row(first.row)).variant(TOOL);
            out.add(finding.never("results are blocks of a `content_list` there"));
        }
    }
    let rows = cx.history.messages.list.iter().map(|message| *cx.row(message.row));
    for row in rows.filter(|row| !matches!(row.role, Role::User | Role::Assistant | Role::Tool)) {
        let finding = Finding::new(RULE.code, row);
        match row.role {
            Role::System | Role::Developer if cx.has(Trait::NoInstructions) => {
                out.add(finding.variant(REFUSED).edit_value(&TO_USER));
            }
            Role::Developer if cx.has(Trait::NoDeveloper) => {
                out.add(finding.variant(DEVELOPER).edit_value(&TO_SYSTEM));
            }
            // In the old form of results the role is `function`.
            Role::Other | Role::None if !row.has(Flags::RECORDED) => {
                let mut known = false;
                cx.text.with_item(&row, &mut |message| {
                    known = message.get(name::role).is_some_and(|r| r.is("function"))
                });
                if !known {
                    out.add(finding.never("it is not known who is speaking"));
                }
            }
            _ => {}
        }
    }
}
