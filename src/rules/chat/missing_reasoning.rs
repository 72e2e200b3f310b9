//! RL514: a thinking model does not get its reasoning back.

use crate::history::{BlockFlags, Finding, Flags, Kind, Role};
use crate::json::name;
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message with calls but without `reasoning_content` where the server requires it and the model thinks.
    /// The models of DeepSeek and Kimi do by default; `"thinking": {"type": "disabled"}` in the request turns it off,
    /// except for Kimi K3, K2.7 Code and K2 Thinking, which always think. Older models without thinking, such as
    /// `kimi-k2-0905-preview`, are not reported.
    ///
    /// No rejection by GLM, MiniMax or Qwen is known. Requests to routers are not reported, though some pass on the
    /// rejections of DeepSeek and Kimi.
    ///
    /// ## Why it matters
    ///
    /// DeepSeek and Kimi reject the request with HTTP 400:
    ///
    /// > The `reasoning_content` in the thinking mode must be passed back to the API.
    ///
    /// > thinking is enabled but reasoning_content is missing in assistant tool call message at index 2
    ///
    /// DeepSeek needs the reasoning of a turn with calls in every later request, also after the user's next message. It
    /// happens when a client keeps only the fields that OpenAI knows, or when a conversation began with another model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"kimi-k2-thinking","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Reasoning that the message has as `reasoning` is renamed. Otherwise it is not in the file: for DeepSeek, an empty
    /// text takes its place, for Kimi and other servers a text of one space, as other clients send them. With thinking
    /// disabled in the request the field is not required.
    /// `--proven RL514` reports and repairs it for any server and model.
    ///
    /// ## Evidence
    ///
    /// Kimi: continuedev/continue#11600 (fixed by #11806), labring/FastGPT#6357, anomalyco/opencode#16318 (opencode
    /// 1.2.20); through routers: anomalyco/opencode#25758 (1.14.33, K2.6), earendil-works/pi#987 (OpenRouter, K2.5). No
    /// rejection by Kimi K3 is known, so for that model it is a warning.
    ///
    /// DeepSeek: api-docs.deepseek.com/guides/thinking_mode, SaladDay/cc-switch-cli#170, BerriAI/litellm#28057 (sends a
    /// space), deepseek-ai/deepseek-harness#739 and #1850 (an empty text is enough; August to October 2026). Recorded
    /// requests without the field were accepted with thinking disabled, and by another host for `deepseek-v4-pro-0813`:
    /// names with such a date are not reported.
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
        Variant {
            message: "assistant message with tool calls has its reasoning in `reasoning`, which a thinking model \
                      requires as `reasoning_content`",
            evidence: Evidence::Reported,
            fix: "rename the field to `reasoning_content`",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "assistant message with tool calls has no `reasoning_content`, which models like this one \
                      require",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "add a `reasoning_content` of one space",
            ..Variant::BASE
        },
    ]
}

const EMPTY: u8 = 1;
const OTHER_NAME: u8 = 2;
const UNPROVEN: u8 = 3;

/// A text of one space.
static SPACE: ValueEdit = ValueEdit::put("reasoning_content", "\" \"");
static EMPTY_TEXT: ValueEdit = ValueEdit::put("reasoning_content", "\"\"");
static RENAME: ValueEdit = ValueEdit::rename("reasoning", "reasoning_content");

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::WantsReasoning) || cx.reasons() != Some(true) {
        return;
    }
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        let row = *cx.row(message.row);
        let calls = || message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse);
        if !row.has(BlockFlags::REASONED) && !row.has(Flags::RECORDED) && calls() {
            let mut is_named_otherwise = false;
            cx.text.with_item(&row, &mut |message| {
                is_named_otherwise = message.get(name::reasoning).is_some_and(|said| said.is_string());
            });
            if is_named_otherwise && cx.has(Trait::RejectsUnknownMembers) {
                // RL515 renames it.
                continue;
            }
            let finding = Finding::new(RULE.code, row);
            out.add(match () {
                () if is_named_otherwise => finding.variant(OTHER_NAME).edit_value(&RENAME),
                () if cx.has(Trait::AcceptsEmptyReasoning) => finding.variant(EMPTY).edit_value(&EMPTY_TEXT),
                () if cx.has(Trait::UnprovenReasoning) => finding.variant(UNPROVEN).edit_value(&SPACE),
                () => finding.edit_value(&SPACE),
            });
        }
    }
}
