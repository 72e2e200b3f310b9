//! RL501: a call of an assistant's message is not answered right after it.

use crate::history::Pair;
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call in an assistant's `tool_calls` without a tool message directly after the message. A tool
    /// message further away does not count. Tool messages without a `tool_call_id` answer the calls of the message
    /// in order; their missing ids are RL506.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The
    /// > following tool_call_ids did not have response messages: call_abc
    ///
    /// It happens when a run is interrupted, when a message of the user slips in between call and reply, or when a
    /// history is cut. At the end of a log the call is still pending: there it is only noted (shown with `-v`).
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"user","content":"Are you there?"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A tool message that is elsewhere is moved to right after the message, and nothing is lost. Otherwise the call gets a
    /// placeholder tool message, and nothing is lost; with `--orphans drop` the call is dropped, and its message with it if
    /// it says nothing else.
    ///
    /// ## Evidence
    ///
    /// Reported: BerriAI/litellm#10083, crush#3408, CLIProxyAPI#2798, oh-my-pi#2055. No recorded accepted request of
    /// OpenAI or Azure has such a call. 21 recorded requests to GLM (Z.ai) and Ollama answer a call by a tool message
    /// without an id and were accepted.
    CHAT_MISSING_REPLY, "chat-missing-reply" of "chat", Check::Pair(check),
    [
        Variant {
            message: "tool call {call_id} has no tool message after it",
            api: Some("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {call_id}"),
            also: &["tool call result does not follow tool call"],
            evidence: Evidence::Reported,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "the tool message for {call_id} is not right after its call",
            related: "the tool message is here",
            api: Some("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {call_id}"),
            evidence: Evidence::Reported,
            fix: "move the tool message to right after its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "tool call {call_id} is still pending at the end of the log",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const FAR: u8 = 1;
const PENDING: u8 = 2;

fn check(cx: &Cx<'_>, pair: &Pair, out: &mut Out) {
    cx.unanswered(RULE.code, pair, [FAR, PENDING]).into_iter().for_each(|finding| out.add(finding));
}
