//! RL508: a message's list of calls is empty.

use crate::history::{BlockFlags, Finding, Flags, Kind};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message with `"tool_calls": []`.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty
    /// > array instead.
    ///
    /// It happens when a client stores every reply with all its fields, or drops the last call of a message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello","tool_calls":[]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The key is removed. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: openai/openai-node#1341, openai/openai-python#2061, home-assistant/core#118577. Two recorded
    /// requests with an empty list were accepted, by Mistral.
    CHAT_EMPTY_TOOL_CALLS, "chat-empty-tool-calls" of "chat" tags [Field], Check::History(check),
    [
        Variant {
            message: "tool_calls is an empty list",
            api: Some("Invalid 'messages[{message}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead."),
            also: &["Empty tool_calls is not supported in message"],
            error: ErrorDetails {
                param: Some("messages[{message}].tool_calls"),
                code: Some("empty_array"),
                ..ErrorDetails::HISTORY
            },
            evidence: Evidence::Reported,
            fix: "remove the empty list",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::strip(&["tool_calls"]);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for message in &cx.history.messages.list {
        let row = *cx.row(message.row);
        // A recorded answer may be sent to its server again.
        if row.has(BlockFlags::CALLS_APART)
            && !row.has(Flags::RECORDED)
            && !message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse)
        {
            out.add(Finding::new(RULE.code, row).edit_value(&MEND));
        }
    }
}
