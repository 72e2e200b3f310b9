//! RL723: thinking is enabled beside sampling that it excludes.

use crate::history::{RepairAct, ThinkingMode};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

/// The lowest `top_p` with thinking.
const MIN_TOP_P: f64 = 0.95;

crate::rule! {
    /// ## What it does
    ///
    /// In a request that enables Claude's thinking with a budget, finds a temperature other than 1, `top_p` below 0.95, and
    /// `top_k`.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > `temperature` may only be set to 1 when thinking is enabled.
    ///
    /// > `top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.
    ///
    /// > `top_k` must be unset when thinking is enabled.
    ///
    /// On Bedrock, "The model returned the following errors:" precedes them.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":4096,"temperature":0.2,
    ///  "thinking":{"type":"enabled","budget_tokens":2048},"messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The setting is removed, so that its default applies. The conversation stays as it is.
    ///
    /// ## Evidence
    ///
    /// Reported in many threads. 278 recorded accepted requests with a budget have no temperature, or 1 (48 times), and
    /// no `top_p`, or 0.95 (21 times).
    THINKING_WITH_SAMPLING, "thinking-with-sampling", Check::History(check),
    [
        Variant {
            message: "the temperature is not 1 although thinking is enabled",
            related: "thinking",
            api: Some("`temperature` may only be set to 1 when thinking is enabled."),
            also: &["`temperature` may only be set to 1"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            fix: "remove the temperature",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "`{member}` is below 0.95 although thinking is enabled",
            related: "thinking",
            api: Some("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled."),
            also: &["`top_p` must be greater than or equal to 0.95"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            fix: "remove the setting",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "`{member}` is set although thinking is enabled",
            related: "thinking",
            api: Some("`top_k` must be unset when thinking is enabled."),
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            fix: "remove the setting",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options().filter(|_| cx.has(Trait::BudgetRestrictsOptions)) else { return };
    let thinking = options.thinking.as_ref().filter(|thinking| thinking.value == ThinkingMode::Enabled);
    let Some(thinking) = thinking else { return };
    for (variant, at) in options.sampling(|top_p| top_p >= MIN_TOP_P).into_iter().enumerate() {
        let finding = at.map(|at| cx.request_finding(RULE.code, at).variant(variant as u8));
        let finding = finding.map(|finding| finding.with_partner(thinking.at));
        finding.into_iter().for_each(|finding| out.add(finding.act(RepairAct::Unset)));
    }
}
