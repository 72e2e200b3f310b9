//! RL514: a thinking model does not get its reasoning back.

use crate::history::{BlockFlags, Finding, Flags, Kind, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message with calls but without `reasoning_content` where the server requires it and the model thinks. The
    /// models of DeepSeek and Kimi do by default; `"thinking": {"type": "disabled"}` in the request turns it off, except for
    /// Kimi K3, K2.7 Code and K2 Thinking, which always think. Other servers, and those of GLM, MiniMax and Qwen, never reject
    /// the request.
    ///
    /// ## Why it matters
    ///
    /// DeepSeek and Kimi reject the request with HTTP 400:
    ///
    /// > The `reasoning_content` in the thinking mode must be passed back to the API.
    ///
    /// > thinking is enabled but reasoning_content is missing in assistant tool call message at index 2
    ///
    /// It happens when a client keeps only the fields that OpenAI knows, or when a conversation began with another
    /// model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"kimi-k2-thinking","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"}]}
    /// ```
    ///
    /// (with `--target kimi`)
    ///
    /// ## Fix
    ///
    /// The reasoning is not in the file. DeepSeek accepts an empty text in its place, Kimi a text of one space, as other
    /// clients send it. With thinking disabled in the request the field is not required.
    ///
    /// ## Evidence
    ///
    /// Reported: continuedev/continue#11600, FastGPT#6357, opencode#16318 for Kimi;
    /// api-docs.deepseek.com/guides/thinking_mode, litellm#28057 and deepseek-harness#739 for DeepSeek (an empty text). All
    /// recorded accepted requests to thinking models of both have the field, or disable thinking. Which server and model
    /// require it is a table; `--proven RL514` reports it for any other, too.
    CHAT_MISSING_REASONING, "chat-missing-reasoning" of "chat", Check::History(check),
    [
        Variant {
            message: "assistant message with tool calls has no `reasoning_content`, which a thinking model \
                      requires",
            also: &[
                "Missing `reasoning_content` field in the assistant message at message index {message}.",
            ],
            evidence: Evidence::Reported,
            fix: "add a `reasoning_content` of one space",
            ..Variant::BASE
        },
        Variant {
            message: "assistant message with tool calls has no `reasoning_content`, which a thinking model \
                      requires",
            evidence: Evidence::Reported,
            fix: "add an empty `reasoning_content`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const EMPTY: u8 = 1;

/// A text of one space.
static SPACE: ValueEdit = ValueEdit::put("reasoning_content", "\" \"");
static EMPTY_TEXT: ValueEdit = ValueEdit::put("reasoning_content", "\"\"");

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::WantsReasoning) || cx.reasons() != Some(true) {
        return;
    }
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        let row = *cx.row(message.row);
        let calls = || message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse);
        if !row.has(BlockFlags::REASONED) && !row.has(Flags::RECORDED) && calls() {
            let finding = Finding::new(RULE.code, row);
            out.add(match cx.has(Trait::AcceptsEmptyReasoning) {
                true => finding.variant(EMPTY).edit_value(&EMPTY_TEXT),
                false => finding.edit_value(&SPACE),
            });
        }
    }
}
