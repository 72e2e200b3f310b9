//! RL543: thinking is enabled, but the current tool loop has none.

use crate::history::{Finding, Flags, Kind, ModelStep, RequestFlags, Role, ThinkingMode, Usage};
use crate::json::edit::{RecordBase, Sequence, SequenceSlot};
use crate::json::value_edit::{EditRefusal, ValueEdit};
use crate::json::{Val, name};
use crate::place::{Edit, ReplacementPart};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// In a request that enables thinking with a budget (`"thinking": {"type": "enabled"}`) and ends with results,
    /// finds a tool loop in which no assistant turn has thinking.
    ///
    /// ## Why it matters
    ///
    /// The API was reported to reject the request with HTTP 400:
    ///
    /// > messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is
    /// > enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use`
    /// > and `tool_result` blocks).
    ///
    /// It happens when a client does not store thinking, or enables it within a loop.
    ///
    /// DeepSeek's endpoint for this API requires the thinking of every turn with calls, unless the request disables it:
    ///
    /// > The `content[].thinking` in the thinking mode must be passed back to the API.
    ///
    /// It may restore the thinking that belongs to ids of its own, so for those it is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","thinking":{"type":"enabled","budget_tokens":2048},
    ///  "tools":[{"name":"f","input_schema":{"type":"object"}}],
    ///  "messages":[
    ///   {"role":"user","content":"go"},
    ///   {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
    ///   {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Anthropic's thinking is signed, is not in the file, and cannot be invented. Disable `thinking` until the next user
    /// message. For DeepSeek, an empty thinking block is added, which its endpoint accepts.
    ///
    /// ## Evidence
    ///
    /// Reported: pydantic-ai#2075, n8n#22550, openai-agents-python#1704, continue#4470. Which turn of a longer loop is meant
    /// is not known, so it is a warning. DeepSeek: anomalyco/opencode#24791, QwenLM/qwen-code#3788 (with the fix); its own ids: api-docs.deepseek.com,
    /// create-message.
    ANTHROPIC_MISSING_THINKING, "anthropic-missing-thinking" of "anthropic", Check::History(check),
    [
        Variant {
            message: "thinking is enabled, but the last tool calls have no thinking block before them",
            api: Some(
                "messages.{message}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{type}`. When \
                 `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the \
                 lastmost set of `tool_use` and `tool_result` blocks).",
            ),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "assistant message with tool calls has no thinking, which this server requires of a thinking \
                      model",
            api: Some("The `content[].thinking` in the thinking mode must be passed back to the API."),
            also: &["The `content[].thinking` in the thinking mode must be passed back"],
            evidence: Evidence::Reported,
            fix: "add an empty thinking block",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "assistant message with tool calls has no thinking; the server may restore it by its ids",
            levels: Levels::WARNING,
            fix: "add an empty thinking block",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

/// The block that DeepSeek accepts in place of missing thinking, as Qwen Code sends it.
/// https://github.com/QwenLM/qwen-code/pull/3788
static EMPTY_THINKING: ValueEdit = ValueEdit::by(add_empty_thinking);

fn add_empty_thinking(message: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let content = message.get(name::content).ok_or(EditRefusal("the message has no content"))?;
    let blocks = Sequence::of_list(content, base)?;
    let block = ReplacementPart::text(br#"{"type":"thinking","thinking":"","signature":""}"#);
    let kept = (0..blocks.entries.len() as u32).map(SequenceSlot::Keep);
    blocks.edit(std::iter::once(SequenceSlot::New(vec![block])).chain(kept).collect(), out);
    Ok(())
}

const EVERY_TURN: u8 = 1;
const OWN_IDS: u8 = 2;

/// Reports calls without thinking for a server that requires it in every turn.
fn check_every_turn(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let options = cx.history.settings.options.as_ref();
    let mode = options.and_then(|options| options.thinking.as_ref()).map(|thinking| thinking.value);
    if mode == Some(ThinkingMode::Disabled) || cx.history.settings.usage == Usage::Log {
        return;
    }
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
        let row = *cx.row(message.row);
        let first = |kind: Kind| message.blocks().find(|ix| cx.row(*ix).kind == kind);
        let Some(call) = first(Kind::ToolUse) else { continue };
        if first(Kind::Thinking).is_some() || row.has(Flags::RECORDED) {
            continue;
        }
        let mut is_own = false;
        cx.text.with_item(cx.row(call), &mut |block| {
            is_own = block.get(name::id).and_then(|id| id.text()).is_some_and(|id| id.starts_with(b"call_0"));
        });
        let variant = if is_own { OWN_IDS } else { EVERY_TURN };
        out.add(Finding::new(RULE.code, row).variant(variant).edit_value(&EMPTY_THINKING));
    }
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if cx.has(Trait::WantsReasoning) {
        return check_every_turn(cx, out);
    }
    let messages = &cx.history.messages;
    let Some(last) =
        messages.steps.last().filter(|_| cx.history.settings.facts.has(RequestFlags::MANUAL_THINKING))
    else {
        return;
    };
    if last.answers.end as usize != messages.list.len() || !is_current_loop(cx, last) {
        return;
    }
    // Back to the last user message.
    let mut steps = messages.steps.iter().rev();
    let of_loop = std::iter::once(last).chain(steps.by_ref().skip(1).take_while(|step| is_current_loop(cx, step)));
    let has_thinking = |step: &ModelStep| first_of_kind(cx, step, Kind::Thinking).is_some();
    if of_loop.into_iter().any(has_thinking) {
        return;
    }
    if let Some(first) = messages.rows_of(last.model.clone()).next() {
        let finding = Finding::new(RULE.code, *cx.row(first));
        out.add(finding.never("the thinking is not in the file; disable thinking until the next user message"));
    }
}

/// True for a step with calls that only results follow.
fn is_current_loop(cx: &RuleContext<'_>, step: &ModelStep) -> bool {
    let mut answers = cx.history.messages.rows_of(step.answers.clone()).peekable();
    first_of_kind(cx, step, Kind::ToolUse).is_some()
        && answers.peek().is_some()
        && answers.all(|ix| cx.row(ix).kind == Kind::ToolResult)
}

fn first_of_kind(cx: &RuleContext<'_>, step: &ModelStep, kind: Kind) -> Option<u32> {
    cx.history.messages.rows_of(step.model.clone()).find(|ix| cx.row(*ix).kind == kind)
}
