//! RL523: a message has more calls than the API accepts.

use crate::history::{Finding, Flags, Kind, Role};
use crate::message::MAX_CHAT_CALLS;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an assistant message with more than 128 `tool_calls`.
    ///
    /// ## Why it matters
    ///
    /// OpenAI, and GitHub Copilot with its models, reject the request with HTTP 400:
    ///
    /// > Invalid 'messages[21].tool_calls': array too long. Expected an array with maximum length 128, but got an array
    /// > with length 131 instead.
    ///
    /// It happens when an agent merges the calls of several answers into one message. The session cannot be continued
    /// after that: the message is sent with every later request.
    ///
    /// ## Example
    ///
    /// An assistant message with 131 `tool_calls`, and the tool messages that answer them.
    ///
    /// ## Fix
    ///
    /// None: the calls of one message were made together. Split them into several messages, each with the tool messages
    /// that answer its calls.
    ///
    /// ## Evidence
    ///
    /// Reported: github/copilot-cli#669.
    CHAT_TOO_MANY_CALLS, "chat-too-many-calls" of "chat", Check::History(check),
    [
        Variant {
            message: "the message has {length} calls; at most 128 are allowed",
            api: Some("Invalid 'messages[{message}].tool_calls': array too long. Expected an array with maximum length 128, but got an array with length {length} instead."),
            error: ErrorDetails {
                param: Some("messages[{message}].tool_calls"),
                code: Some("array_above_max_length"),
                ..ErrorDetails::HISTORY
            },
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let is_long = |length: u32| length as usize > MAX_CHAT_CALLS;
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        // Most messages have few blocks.
        if !is_long(message.end - message.first) || cx.row(message.row).has(Flags::RECORDED) {
            continue;
        }
        let calls = message.blocks().filter(|ix| cx.row(*ix).kind == Kind::ToolUse).count() as u32;
        if is_long(calls) {
            let finding = Finding::new(RULE.code, *cx.row(message.row)).arg(calls);
            out.add(finding.never("the calls of a message were made together"));
        }
    }
}
