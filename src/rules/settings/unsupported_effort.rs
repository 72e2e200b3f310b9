//! RL725: the model does not accept the reasoning effort of the request.

use crate::history::{ReasoningEffort, ThinkingMode};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Compares the effort of a request with the words that its model accepts, with the mode of thinking, and with the
    /// tools of the request.
    ///
    /// ## Why it matters
    ///
    /// Claude Opus 4.6 and Sonnet 4.6 reject other words with HTTP 400:
    ///
    /// > This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.
    ///
    /// Claude Opus 5 and Haiku 5.5 reject `xhigh` and `max` if thinking is disabled, Sonnet 5.5 if it is restricted to
    /// the time between calls. xAI says of models without an effort
    ///
    /// > Model grok-code-fast-1 does not support parameter reasoningEffort.
    ///
    /// and OpenAI
    ///
    /// > Function tools with reasoning_effort are not supported for gpt-5.4-mini in /v1/chat/completions. Please use
    /// > /v1/responses instead.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-opus-4-6","max_tokens":1024,"output_config":{"effort":"xhigh"},
    ///  "thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the effort is the user's decision. `replaylint convert` writes the nearest one that the model has.
    ///
    /// ## Evidence
    ///
    /// Recorded rejections of Claude 4.6, xAI and OpenAI; effort without thinking: pydantic-ai `profiles/anthropic.py` and
    /// Anthropic's pages on Haiku 5.5 and Sonnet 5.5.
    UNSUPPORTED_EFFORT, "unsupported-effort", Check::History(check),
    [
        Variant {
            message: "the model does not have this effort",
            also: &["This model does not support effort level '{value}'. Supported levels:"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the highest efforts need thinking, which the request restricts",
            related: "thinking",
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the model does not accept an effort in a request with tools",
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the model has no effort",
            also: &["Model {model} does not support parameter reasoningEffort."],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}

const WITHOUT_THINKING: u8 = 1;
const WITH_TOOLS: u8 = 2;
const NONE: u8 = 3;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options() else { return };
    let Some(effort) = &options.effort else { return };
    let finding = cx.request_finding(RULE.code, effort.at).never("the effort is the user's decision");
    let restricted = options.thinking.as_ref().filter(|thinking| match thinking.value {
        ThinkingMode::Disabled => cx.has(Trait::HighEffortThinks),
        ThinkingMode::BetweenTools => cx.has(Trait::ThinksBetweenTools),
        _ => false,
    });
    let is_off = cx.history.settings.effort == Some(ReasoningEffort::None);
    match cx.efforts {
        Some([]) => out.add(finding.variant(NONE)),
        Some(known) if !is_off && !known.contains(&&*effort.value) => out.add(finding),
        _ if cx.has(Trait::NoEffortWithTools) && options.has_tools && !is_off => {
            out.add(finding.variant(WITH_TOOLS));
        }
        _ => {
            if let Some(thinking) = restricted.filter(|_| ["xhigh", "max"].contains(&&*effort.value)) {
                out.add(finding.variant(WITHOUT_THINKING).with_partner(thinking.at));
            }
        }
    }
}
