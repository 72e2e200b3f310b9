//! RL563: a response has no name.

use crate::history::{Finding, Pair, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `functionResponse` without a name, or with an empty one.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > * GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.
    ///
    /// It happens when a history comes from an API whose results have only the id of their call.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Weather?"}]},
    ///  {"role":"model","parts":[{"functionCall":{"name":"weather","args":{}}}]},
    ///  {"role":"user","parts":[{"functionResponse":{"name":"","response":{"output":"sunny"}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The response gets the name of the call that it answers, and nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported in ten places, after conversions from Chat messages.
    GEMINI_UNNAMED_RESPONSE, "gemini-unnamed-response" of "gemini" tags [Field], Check::Pair(check),
    [
        Variant {
            message: "functionResponse has no name",
            related: "the call that it answers",
            api: Some("* GenerateContentRequest.contents[{message}].parts[{block}].function_response.name: Name cannot be empty."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "give it the name of its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    // A response without a call is RL561.
    if pair.state != PairState::Answered {
        return;
    }
    let (call, response) = (cx.row(pair.call), cx.row(pair.output));
    if response.key == 0 {
        let finding = Finding::new(RULE.code, *response).with_partner(call.at);
        out.add(match call.key {
            0 => finding.never("its call has no name either"),
            _ => finding.act(RepairAct::Retype),
        });
    }
}
