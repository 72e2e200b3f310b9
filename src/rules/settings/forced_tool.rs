//! RL724: the request forces a tool, which the model does not accept.

use crate::history::{ReasoningEffort, ThinkingMode};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_choice` that makes the model call a tool, in a request that enables thinking with a budget, and for
    /// models that never accept it: Claude Opus 5.5, Sonnet 5.5, Fable 5.1, Mythos 5.1, and DeepSeek's models while they
    /// think.
    ///
    /// ## Why it matters
    ///
    /// Anthropic rejects the request with HTTP 400:
    ///
    /// > Thinking may not be enabled when tool_choice forces tool use.
    ///
    /// > tool_choice: type "tool" and "any" are not supported for this model.
    ///
    /// and DeepSeek says
    ///
    /// > Thinking mode does not support this tool_choice
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-opus-5-5","max_tokens":1024,"tool_choice":{"type":"any"},
    ///  "tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: whether the model must call a tool or may think is the user's decision.
    ///
    /// ## Evidence
    ///
    /// With a budget: none of 278 recorded accepted requests; 270 accepted ones force a tool without thinking. Models:
    /// oh-my-pi#12939, vercel/ai#21364, stdapi.ai#284. DeepSeek: two recorded rejections with thinking enabled, five
    /// accepted requests with it disabled; the case without either is inferred, hence a warning.
    FORCED_TOOL, "forced-tool", Check::History(check),
    [
        Variant {
            message: "the request forces a tool although it enables thinking",
            related: "thinking",
            api: Some("Thinking may not be enabled when tool_choice forces tool use."),
            also: &["Thinking may not be enabled when tool_choice forces tool use"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the request forces a tool, which this model does not accept",
            api: Some("tool_choice: type \"tool\" and \"any\" are not supported for this model."),
            also: &["tool_choice forces tool use is not compatible with this model"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the request forces a tool although it enables thinking, which this server does not accept",
            also: &["Thinking mode does not support this tool_choice"],
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the request forces a tool, and the model thinks unless the request disables it",
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            ..Variant::BASE
        },
    ]
}

const BY_MODEL: u8 = 1;
const WHILE_THINKING: u8 = 2;
const BY_DEFAULT: u8 = 3;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options() else { return };
    let Some(at) = options.forced_tool else { return };
    let finding = cx.request_finding(RULE.code, at).never("it is not known which of the two was meant");
    let thinking = options.thinking.as_ref().filter(|thinking| thinking.value == ThinkingMode::Enabled);
    if cx.has(Trait::NoForcedTool) {
        out.add(finding.variant(BY_MODEL));
    } else if let Some(thinking) = thinking.filter(|_| cx.has(Trait::BudgetRestrictsOptions)) {
        out.add(finding.with_partner(thinking.at));
    } else if cx.has(Trait::NoForcedToolWhenThinking) && cx.reasons() == Some(true) {
        let is_asked = cx.history.settings.effort == Some(ReasoningEffort::Some);
        out.add(finding.variant(if is_asked { WHILE_THINKING } else { BY_DEFAULT }));
    }
}
