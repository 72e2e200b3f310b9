//! RL543: thinking is enabled, but the current tool loop has none.

use crate::history::{Finding, Kind, ModelStep, RequestFlags};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

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
    /// None: the thinking is not in the file, and cannot be invented. Disable `thinking` until the next user message.
    ///
    /// ## Evidence
    ///
    /// Reported: pydantic-ai#2075, n8n#22550, openai-agents-python#1704, continue#4470. Which turn of a longer loop is meant
    /// is not known, so it is a warning.
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
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
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
