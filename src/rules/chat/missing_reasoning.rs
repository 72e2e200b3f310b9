//! RL514: a thinking model does not get its reasoning back.

use crate::history::{BlockFlags, Finding, Flags, Kind, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message with calls but without `reasoning_content` where the server requires it and the model thinks, as
    /// its name or the request (`thinking`, `reasoning_effort`) says.
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
    /// The reasoning is lost, so a text of one space replaces it, as other clients do. With thinking disabled in the
    /// request the field is not required.
    ///
    /// ## Evidence
    ///
    /// Reported: continuedev/continue#11600, FastGPT#6357, opencode#16318 for Kimi;
    /// api-docs.deepseek.com/guides/thinking_mode and litellm#28057 for DeepSeek. All recorded accepted requests to
    /// thinking models of both have the field.
    CHAT_MISSING_REASONING, "chat-missing-reasoning" of "chat", Check::History(check),
    [
        Variant {
            message: "assistant message with tool calls has no `reasoning_content`, which a thinking model \
                      requires",
            also: &[
                "Missing `reasoning_content` field in the assistant message at message index {message}.",
                "The `content[].thinking` in the thinking mode must be passed back",
            ],
            evidence: Evidence::Reported,
            fix: "add a `reasoning_content` of one space",
            ..Variant::BASE
        },
    ]
}

/// A text of one space.
static MEND: ValueEdit = ValueEdit::put("reasoning_content", r#"" ""#);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::WantsReasoning) || cx.reasons() != Some(true) {
        return;
    }
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        let row = *cx.row(message.row);
        let calls = || message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse);
        if !row.has(BlockFlags::REASONED) && !row.has(Flags::RECORDED) && calls() {
            out.add(Finding::new(RULE.code, row).edit_value(&MEND));
        }
    }
}
