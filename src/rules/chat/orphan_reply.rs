//! RL502: a tool message answers no call before it.

use crate::history::{Finding, ORPHAN, Pair, PairState};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a tool message whose `tool_call_id` is not the id of a call in the preceding assistant message.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.
    ///
    /// It happens when a history is cut from the front, or compacted while a call was open.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"},
    ///  {"role":"user","content":"Thanks"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The message is dropped. What the tool returned is lost for the model; `--dropped FILE` keeps it.
    ///
    /// ## Evidence
    ///
    /// Reported: camel-ai/camel#3339, CopilotKit, MiniMax-M2#76. No recorded accepted request to OpenAI or Azure has
    /// such a message. Ollama pairs nothing, and accepted a recorded request with two results for a call: a warning there.
    CHAT_ORPHAN_REPLY, "chat-orphan-reply" of "chat", Check::Pair(check),
    [
        Variant {
            message: "orphaned tool message {call_id}: no tool call with this id before it",
            api: Some("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."),
            also: &[
                "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
                "tool result's tool id({call_id}) not found",
                "'message': 'tool_call_id {call_id} is not found'",
                "\"message\":\"tool_call_id {call_id} is not found\"",
                // Of an empty id.
                "tool_call_id  is not found",
                "messages with role 'tool' cannot be used when 'functions' are present",
                "Unexpected tool call id {call_id} in tool results",
                "Message has tool role, but there was no previous assistant message with a tool call",
            ],
            evidence: Evidence::Reported,
            fix: "drop the message",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Orphan {
        return;
    }
    out.add(Finding::new(RULE.code, *cx.row(pair.output)).remedy(ORPHAN));
}
