//! RL729: a number in the request is outside the range of its API.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a temperature below 0 or above the highest of the API (1 for Anthropic and Bedrock, 2 for OpenAI and Gemini), and
    /// a limit of output tokens below the lowest (16 in Responses).
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > temperature: range: 0..1
    ///
    /// > Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 99.0 instead.
    ///
    /// > Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"temperature":1.5,"messages":[{"role":"user","content":"hi"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: which value was meant is not known.
    ///
    /// ## Evidence
    ///
    /// Recorded: a rejection of each kind; Bedrock: the service model of botocore 1.44.5.
    OPTION_RANGE, "option-range", Check::History(check),
    [
        Variant {
            message: "the temperature is outside the range of this API",
            also: &[
                "temperature: range: 0..1",
                "Invalid 'temperature': decimal above maximum value. Expected a value <= {limit}",
                "Invalid 'temperature': decimal below minimum value.",
                "temperature value of {value} but the supported range is from",
            ],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "the limit of output tokens is below the lowest of this API",
            also: &["Invalid 'max_output_tokens': integer below minimum value. Expected a value >= {limit}"],
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}

const LIMIT: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(options) = cx.options() else { return };
    let highest = f64::from(cx.caps.max_temperature);
    let is_outside = |value: f64| highest > 0.0 && !(0.0..=highest).contains(&value);
    if let Some(temperature) = options.temperature.as_ref().filter(|own| is_outside(own.value)) {
        out.add(cx.request_finding(RULE.code, temperature.at).never("the value that was meant is not known"));
    }
    let least = f64::from(cx.caps.min_output_limit);
    if let Some(limit) = options.limit.as_ref().filter(|limit| limit.value < least) {
        let finding = cx.request_finding(RULE.code, limit.at).variant(LIMIT);
        out.add(finding.never("the limit that was meant is not known"));
    }
}
