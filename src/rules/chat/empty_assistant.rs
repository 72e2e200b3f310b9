//! RL519: an assistant message is empty.

use crate::history::{BlockFlags, Finding, Flags, Kind, MessageSpan, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an assistant message without text and without calls; for xAI and Moonshot also one that has only
    /// `reasoning_content`.
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
    /// and Ollama
    ///
    /// > invalid message content type: <nil>
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
    /// The message is dropped. It has no content, so nothing but its reasoning, if any, is lost. Where it is a warning,
    /// this requires `--fix-warnings`.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain-ai/langchain#34140, inspect_ai's changelog, pi-mono#165. Four recorded requests with
    /// such a message were accepted by other servers. For xAI (AstrBotDevs/AstrBot#6447) and Moonshot
    /// (labring/FastGPT#3575) it is an error. With calls, xAI accepted `[]` 24 times and null ten times.
    CHAT_EMPTY_ASSISTANT, "chat-empty-assistant" of "chat" tags [Field], Check::History(check),
    [
        Variant {
            message: "assistant message without content or tool calls",
            also: &[
                "invalid message content type: <nil>",
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
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        let row = *cx.row(message.row);
        // A recorded answer may be sent to its server again; null is RL507.
        if is_empty_message(cx, message) && !row.has(Flags::RECORDED) && !row.has(BlockFlags::NULL) {
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
