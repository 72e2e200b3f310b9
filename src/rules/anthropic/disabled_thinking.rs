//! RL551: thinking is disabled, and the last assistant message contains thinking.

use crate::history::{Finding, Kind, RepairAct, RequestFlags, ThinkingMode, Usage};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Trait;

crate::rule! {
    /// ## What it does
    ///
    /// In a request that does not enable thinking, finds thinking in the last assistant message, also if results follow
    /// it. Models up to Claude 4.5 think only if the request says so; for newer ones it must say `disabled`.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain
    /// > `thinking`. To use thinking blocks, enable `thinking` in your request.
    ///
    /// It happens when thinking is turned off in the middle of a conversation, or when a history is sent to be summarised.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"messages":[
    ///  {"role":"user","content":"hi"},
    ///  {"role":"assistant","content":[
    ///   {"type":"thinking","thinking":"A greeting.","signature":"EqQB"},
    ///   {"type":"text","text":"Hello"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The thinking of this message is dropped. To keep it, enable thinking in the request.
    ///
    /// ## Evidence
    ///
    /// Reported: tailcallhq/forgecode#1853, #1195, microsoft/vscode#282326, for Claude Sonnet 4.5, also on Vertex AI, up to December
    /// 2025. Claude Sonnet 5 thinks by default: four recorded requests without the setting were accepted.
    ANTHROPIC_DISABLED_THINKING, "anthropic-disabled-thinking" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the last assistant message contains {type}, but the request does not enable thinking",
            api: Some(
                "messages.{message}.content.{block}: When thinking is disabled, an `assistant` message in the final \
                 position cannot contain `{type}`. To use thinking blocks, enable `thinking` in your request.",
            ),
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let settings = &cx.history.settings;
    let options = settings.options.as_ref();
    let mode = options.and_then(|options| options.thinking.as_ref()).map(|own| own.value);
    // The API requires a limit of output tokens: without one, the stored body is not all of the request.
    let is_whole = options.is_some_and(|options| options.limit.is_some());
    let is_off = match mode {
        Some(ThinkingMode::Disabled) => true,
        Some(_) => false,
        None => cx.has(Trait::NoAdaptiveThinking) && settings.model.is_some() && is_whole,
    };
    let has_manual = settings.facts.has(RequestFlags::MANUAL_THINKING);
    if !is_off || has_manual || settings.usage != Usage::Request {
        return;
    }
    let messages = &cx.history.messages;
    let Some(last) = messages.steps.iter().rev().find(|step| !step.model.is_empty()) else { return };
    for ix in messages.rows_of(last.model.clone()).filter(|ix| cx.row(*ix).kind == Kind::Thinking) {
        out.add(Finding::new(RULE.code, *cx.row(ix)).act(RepairAct::Drop));
    }
}
