//! RL728: the model accepts no sampling settings.

use crate::history::RepairAct;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a temperature, `top_p` or `top_k` other than the default in a request to a model that has no such settings:
    /// Claude from Opus 4.7 on, and OpenAI's models while they reason.
    ///
    /// ## Why it matters
    ///
    /// Anthropic rejects the request with HTTP 400:
    ///
    /// > `temperature` is deprecated for this model.
    ///
    /// > `top_p` is deprecated for this model.
    ///
    /// > `top_k` is deprecated for this model.
    ///
    /// and OpenAI
    ///
    /// > Unsupported parameter: 'top_p' is not supported with this model.
    ///
    /// > Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-opus-4-7","max_tokens":1024,"temperature":0.2,"messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The setting is removed, so that its default applies. The conversation stays as it is.
    ///
    /// ## Evidence
    ///
    /// Recorded: rejections of `top_p` and temperature by gpt-5 models, on OpenAI's hosts and through OpenRouter. Claude:
    /// Anthropic's migration guides, and many threads.
    REFUSED_SAMPLING, "refused-sampling", Check::History(check),
    [
        Variant {
            api: Some("`temperature` is deprecated for this model."),
            also: &["Unsupported value: 'temperature' does not support {value} with this model."],
            ..REFUSED
        },
        Variant {
            api: Some("`top_p` is deprecated for this model."),
            also: &["Unsupported value: 'top_p' does not support {value} with this model."],
            ..REFUSED
        },
        Variant { api: Some("`top_k` is deprecated for this model."), ..REFUSED },
    ]
}

/// What all variants say.
const REFUSED: Variant = Variant {
    message: "the request sets `{member}`, which this model does not accept",
    error: ErrorDetails::BODY,
    evidence: Evidence::Recorded,
    fix: "remove the setting",
    loss: Loss::Lossless,
    ..Variant::BASE
};

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let thinks = || cx.has(Trait::NoSamplingWhenThinking) && cx.reasons() == Some(true);
    let Some(options) = cx.options().filter(|_| cx.has(Trait::NoSampling) || thinks()) else { return };
    for (variant, at) in options.sampling(|top_p| top_p == 1.0).into_iter().enumerate() {
        let finding = at.map(|at| cx.request_finding(RULE.code, at).variant(variant as u8));
        finding.into_iter().for_each(|finding| out.add(finding.act(RepairAct::Unset)));
    }
}
