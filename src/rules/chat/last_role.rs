//! RL517: the last message is from the assistant.

use crate::history::{Finding, Flags, Kind, Role, Usage};
use crate::json::name;
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request whose last message is an assistant message without calls.
    ///
    /// A stored session with an answer at the end is silent, also with `--as request`: the user's next message follows.
    ///
    /// ## Why it matters
    ///
    /// OpenAI accepts it, and the model answers itself, which is rarely intended. Mistral rejects it unless the message
    /// is marked as a prefix to continue:
    ///
    /// > Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant
    ///
    /// It happens when a stored conversation is sent without a new user message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// For Mistral the message gets `"prefix": true`, and the model continues it. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Documented: mistral-common's `validator.py`. Two recorded requests of this kind were accepted by other
    /// servers.
    CHAT_LAST_ROLE, "chat-last-role" of "chat" tags [EndOfRequest], Check::History(check),
    [
        Variant {
            message: "the last message is from the assistant",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "the last message is from the assistant and is not marked as a prefix",
            evidence: Evidence::Documented,
            fix: "mark the message with `\"prefix\": true`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const UNMARKED: u8 = 1;

static MEND: ValueEdit = ValueEdit::put("prefix", "true");

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(message) = cx.history.messages.list.last().filter(|message| message.role == Role::Assistant) else {
        return;
    };
    let row = *cx.row(message.row);
    let is_request = cx.history.settings.usage == Usage::Request && !row.has(Flags::RECORDED);
    if !is_request || message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse) {
        return;
    }
    let mut marked = false;
    cx.text.with_item(&row, &mut |message| {
        marked = message.get(name::prefix).and_then(|prefix| prefix.as_bool()) == Some(true);
    });
    let finding = Finding::new(RULE.code, row);
    if marked {
    } else if cx.has(Trait::RoleOrder) {
        out.add(finding.variant(UNMARKED).edit_value(&MEND));
    } else {
        out.add(finding.never("the missing user message cannot be invented"));
    }
}
