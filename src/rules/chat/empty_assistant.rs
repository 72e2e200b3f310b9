//! RL519: an assistant message is empty.

use crate::history::{BlockFlags, Finding, Flags, Kind, MessageSpan, RepairAct, Role};
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds an assistant message without text and without calls; for xAI and Moonshot also one that has only
    /// `reasoning_content`; for llama.cpp one without the members `content` and `tool_calls`; and, where a server
    /// rejects it, empty text beside calls.
    ///
    /// ## Why it matters
    ///
    /// OpenAI accepts it. Cloudflare rejects it; xAI says
    ///
    /// > Each message must have at least one content element
    ///
    /// Moonshot
    ///
    /// > Invalid request: the message at position 4 with role 'assistant' must not be empty
    ///
    /// Ollama
    ///
    /// > invalid message content type: <nil>
    ///
    /// llama.cpp, which is content with an empty text,
    ///
    /// > Assistant message must contain either 'content' or 'tool_calls'!
    ///
    /// and NVIDIA NIM for some models, also beside calls
    ///
    /// > Value error, Empty content is not allowed for assistant messages
    ///
    /// It happens when a run is stopped before the model has said anything.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[
    ///  {"role":"user","content":"Hi"},{"role":"assistant","content":""},{"role":"user","content":"Are you there?"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The message is dropped. It has no content, so nothing but its reasoning, if any, is lost. Where it is a
    /// note (shown with `-v`), this requires `--proven RL519`, and where it is a warning `--fix-warnings`. Where only the member is missing, an empty text is added; an empty text beside
    /// calls becomes null. Neither loses anything.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain-ai/langchain#34140, inspect_ai's changelog, pi-mono#165. Nine recorded requests with
    /// such a message were accepted, by OpenAI and by other servers. For xAI (AstrBotDevs/AstrBot#6447) and Moonshot
    /// (labring/FastGPT#3575) it is an error. With calls, xAI accepted `[]` 24 times and null ten times.
    /// llama.cpp: its source, `oaicompat_chat_params_parse`. NIM: cherry-studio#16155, for diffusiongemma.
    CHAT_EMPTY_ASSISTANT, "chat-empty-assistant" of "chat" tags [Field], Check::History(check),
    [
        Variant {
            message: "assistant message without content or tool calls",
            also: &[
                "invalid message content type: <nil>",
                "Invalid assistant message: role='assistant' content=None",
                "the message at position {arg} with role '{role}' must not be empty",
            ],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "assistant message with reasoning but without content or tool calls",
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "drop the message and its reasoning",
            ..Variant::BASE
        },
        Variant {
            message: "assistant message without `content` and `tool_calls`",
            api: Some("Assistant message must contain either 'content' or 'tool_calls'!"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            fix: "add an empty content",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the content beside the calls is an empty text, which the server rejects for this model",
            api: Some("Value error, Empty content is not allowed for assistant messages"),
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "set the content to null",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const NO_MEMBER: u8 = 2;
const EMPTY_WITH_CALLS: u8 = 3;

static TO_EMPTY: ValueEdit = ValueEdit::put("content", r#""""#);
static TO_NULL: ValueEdit = ValueEdit::put("content", "null");

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        let row = *cx.row(message.row);
        // A recorded answer may be sent to its server again; null is RL507.
        if row.has(Flags::RECORDED) {
            continue;
        }
        let has_calls = || message.blocks().any(|ix| cx.row(ix).kind == Kind::ToolUse);
        if cx.has(Trait::WantsContent) && row.has(BlockFlags::ABSENT) && !has_calls() {
            out.add(Finding::new(RULE.code, row).variant(NO_MEMBER).edit_value(&TO_EMPTY));
            continue;
        }
        if cx.has(Trait::NoEmptyTextWithCalls) && row.has(BlockFlags::EMPTY) && has_calls() {
            out.add(Finding::new(RULE.code, row).variant(EMPTY_WITH_CALLS).edit_value(&TO_NULL));
            continue;
        }
        if is_empty_message(cx, message) && !row.has(BlockFlags::NULL) {
            let variant = u8::from(row.has(BlockFlags::REASONED));
            out.add(Finding::new(RULE.code, row).variant(variant).act(RepairAct::Drop));
        }
    }
}

fn is_empty_message(cx: &RuleContext<'_>, message: &MessageSpan) -> bool {
    let row = cx.row(message.row);
    let empty = |ix: u32| cx.row(ix).kind == Kind::Text && cx.row(ix).has(BlockFlags::EMPTY);
    !row.has(BlockFlags::CONTENT) && !row.has(BlockFlags::BLANK) && message.blocks().all(empty)
}
