//! RL501: a tool call is not answered right after its message.

use crate::history::Pair;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call in `tool_calls` of an assistant message without a tool message directly after it. A tool message
    /// further away does not count. Tool messages without a `tool_call_id` answer the calls of the message in order;
    /// their missing ids are RL506.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The
    /// > following tool_call_ids did not have response messages: call_abc
    ///
    /// It happens when a run is interrupted, when a user message comes between call and reply, or when a history is
    /// cut. At the end of a log the call is still pending and only a note (shown with `-v`).
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
    /// A tool message that is elsewhere is moved to right after the message, and nothing is lost. Otherwise the call
    /// gets a placeholder tool message, and nothing is lost; with `--orphans drop` the call is dropped, and its message
    /// with it if that is empty then.
    ///
    /// ## Evidence
    ///
    /// Reported: BerriAI/litellm#10083, crush#3408, CLIProxyAPI#2798, oh-my-pi#2055. No recorded accepted request to
    /// OpenAI or Azure has such a call. 21 recorded requests to GLM (Z.ai) and Ollama answer a call with a tool message
    /// without an id and were accepted. Ollama: its source pairs nothing, only models of ollama.com do
    /// (ollama/ollama#12395); a recorded request with one of two calls answered was accepted, so it is a warning there.
    /// Snowflake: BerriAI/litellm#23285.
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

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    cx.unanswered_call(RULE.code, pair, [FAR, PENDING]).into_iter().for_each(|finding| out.add(finding));
}
