//! RL730: a stop sequence has no visible character.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds stop sequences for Claude that are empty or white space.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > stop_sequences: each stop sequence must contain non-whitespace
    ///
    /// > stop_sequences: each stop sequence must be non-empty
    ///
    /// It happens when a client stops at line breaks, as other APIs allow.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"stop_sequences":["\n\n"],
    ///  "messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: without it, the answer would have another end.
    ///
    /// ## Evidence
    ///
    /// Reported: litellm#3286, lm-evaluation-harness PR#3822, continue#1660 (Bedrock), mcp-web-ui#5. No recorded request has
    /// one.
    BLANK_STOP, "blank-stop", Check::History(check),
    [
        Variant {
            message: "a stop sequence is white space",
            api: Some("stop_sequences: each stop sequence must contain non-whitespace"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "a stop sequence is empty",
            api: Some("stop_sequences: each stop sequence must be non-empty"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options().filter(|_| cx.has(Trait::NoBlankStops)) else { return };
    if let Some(stop) = &options.blank_stop {
        let finding = cx.request_finding(RULE.code, stop.at).variant(u8::from(stop.value));
        out.add(finding.never("without it, the answer would have another end"));
    }
}
