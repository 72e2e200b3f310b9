//! RL721: the request asks for a mode of thinking that its model does not have.

use crate::history::ThinkingMode;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Compares `thinking.type` of a request with what its model accepts: `enabled` with a budget, `adaptive`,
    /// `between_tools` or `disabled`.
    ///
    /// ## Why it matters
    ///
    /// Claude Opus 4.7 and all later models reject budgets with HTTP 400:
    ///
    /// > "thinking.type.enabled" is not supported for this model.
    ///
    /// Models up to 4.5 reject adaptive thinking:
    ///
    /// > adaptive thinking is not supported on this model
    ///
    /// Claude Opus 5.5, Fable 5.1, Mythos 5.1, Kimi K2.7 Code and GLM 5.3 always think, and reject `disabled`. Claude
    /// Sonnet 5.5 has `between_tools` instead, which no other model has.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-opus-4-7","max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":2048},
    ///  "messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: how much the model should think is the user's decision. `replaylint convert` writes the nearest setting
    /// that the model has.
    ///
    /// ## Evidence
    ///
    /// Budgets: reported, opencode-go-copilot v1.12.1, and pydantic-ai `profiles/anthropic.py`. `disabled` and
    /// `between_tools`: Anthropic's pages on Claude Opus 5.5 and Sonnet 5.5; Kimi: docs.rs/synaps-engine `kimi.rs`. 48
    /// recorded accepted requests with budgets are to models up to 4.6.
    UNSUPPORTED_THINKING, "unsupported-thinking", Check::History(check),
    [
        Variant {
            message: "the request sets a budget for thinking, and this model has only adaptive thinking",
            api: Some("\"thinking.type.enabled\" is not supported for this model."),
            also: &["\"thinking.type.enabled\" is not supported"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the request disables thinking, and this model always thinks",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the request disables thinking, and this model thinks at least between its calls \
                      (`between_tools`)",
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the request asks for adaptive thinking, and this model thinks only with a budget",
            api: Some("adaptive thinking is not supported on this model"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the request asks for thinking between calls, which only Claude Sonnet 5.5 is known to have",
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

const DISABLED: u8 = 1;
const NOT_LESS: u8 = 2;
const ADAPTIVE: u8 = 3;
const BETWEEN_TOOLS: u8 = 4;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(thinking) = cx.options().and_then(|options| options.thinking.as_ref()) else { return };
    let variant = match thinking.value {
        ThinkingMode::Enabled if cx.has(Trait::NoBudget) => 0,
        ThinkingMode::Disabled if cx.has(Trait::NoDisabledThinking) => DISABLED,
        ThinkingMode::Disabled if cx.has(Trait::ThinksBetweenTools) => NOT_LESS,
        ThinkingMode::Adaptive if cx.has(Trait::NoAdaptiveThinking) => ADAPTIVE,
        ThinkingMode::BetweenTools if !cx.has(Trait::ThinksBetweenTools) => BETWEEN_TOOLS,
        _ => return,
    };
    let finding = cx.request_finding(RULE.code, thinking.at).variant(variant);
    out.add(finding.never("how much the model should think is the user's decision"));
}
