//! RL727: the request sets both temperature and `top_p`, of which the model accepts one.

use crate::history::RepairAct;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request with both temperature and `top_p` to Claude Opus 4.1, Claude 4.5 or Sonnet 4.6.
    ///
    /// ## Why it matters
    ///
    /// These models reject it with HTTP 400, on Anthropic's hosts and on Bedrock:
    ///
    /// > `temperature` and `top_p` cannot both be specified for this model. Please use only one.
    ///
    /// It happens when a client that always sent both is moved to a newer model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"temperature":0.5,"top_p":0.9,
    ///  "messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// `top_p` is removed. The conversation stays as it is.
    ///
    /// ## Evidence
    ///
    /// Reported: litellm#15097, litellm#15070, open-webui/pipelines PR#546, bedrock-access-gateway PR#238, skydiscover#15; AWS
    /// documents it. Recorded requests with both were accepted by Claude 2, 3, 3.5, 3.7 and Sonnet 4.
    SAMPLING_CONFLICT, "sampling-conflict", Check::History(check),
    [
        Variant {
            message: "the request sets both temperature and `{member}`, and this model accepts only one of them",
            related: "the temperature",
            api: Some("`temperature` and `top_p` cannot both be specified for this model. Please use only one."),
            also: &["`temperature` and `top_p` cannot both be specified"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            fix: "remove the setting",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options().filter(|_| cx.has(Trait::OneSampling)) else { return };
    if let (Some(temperature), Some(top_p)) = (&options.temperature, &options.top_p) {
        let finding = cx.request_finding(RULE.code, top_p.at).with_partner(temperature.at);
        out.add(finding.act(RepairAct::Unset));
    }
}
