//! RL722: the budget for thinking does not fit into the request.

use crate::history::ThinkingMode;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

/// The lowest budget, in tokens.
const MIN_BUDGET: f64 = 1024.0;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a budget for Claude's thinking that is not below the limit of output tokens, or is below 1024 tokens.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > `max_tokens` must be greater than `thinking.budget_tokens`.
    ///
    /// > thinking.enabled.budget_tokens: Input should be greater than or equal to 1024
    ///
    /// With interleaved thinking, which a header turns on, the budget of a request with tools may be greater than the
    /// limit, so there it is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":2048,"thinking":{"type":"enabled","budget_tokens":4096},
    ///  "messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: which of the two should change is the user's decision.
    ///
    /// ## Evidence
    ///
    /// Documented: anthropic-sdk-python, `ThinkingConfigEnabledParam`: "Must be ≥1024 and less than `max_tokens`". None of
    /// 278 recorded accepted requests with a budget is like this.
    THINKING_BUDGET, "thinking-budget", Check::History(check),
    [
        Variant {
            message: "the budget for thinking is not below the limit of output tokens",
            related: "the limit",
            api: Some("`max_tokens` must be greater than `thinking.budget_tokens`."),
            also: &["`max_tokens` must be greater than `thinking.budget_tokens`"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the budget for thinking is below 1024 tokens",
            api: Some("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"),
            also: &["budget_tokens: Input should be greater than or equal to 1024"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the budget for thinking is not below the limit of output tokens, which only interleaved \
                      thinking allows",
            related: "the limit",
            api: Some("`max_tokens` must be greater than `thinking.budget_tokens`."),
            error: ErrorDetails::BODY,
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

const TOO_LOW: u8 = 1;
const WITH_TOOLS: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options().filter(|_| cx.has(Trait::BudgetRestrictsOptions)) else { return };
    let is_enabled = options.thinking.as_ref().is_some_and(|thinking| thinking.value == ThinkingMode::Enabled);
    let Some(budget) = options.budget.as_ref().filter(|_| is_enabled) else { return };
    let finding = cx.request_finding(RULE.code, budget.at).never("which of the two should change is not known");
    if budget.value < MIN_BUDGET {
        out.add(finding.variant(TOO_LOW));
    } else if let Some(limit) = options.limit.as_ref().filter(|limit| limit.value <= budget.value) {
        let variant = if options.has_tools { WITH_TOOLS } else { 0 };
        out.add(finding.variant(variant).with_partner(limit.at));
    }
}
