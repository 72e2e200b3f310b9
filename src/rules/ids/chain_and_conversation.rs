//! RL308: a request names two server states.

use crate::history::RepairAct;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds requests with both `previous_response_id` and `conversation`.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the request with HTTP 400:
    ///
    /// > Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of these parameters.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","conversation":"conv_1","previous_response_id":"resp_1","input":"Go on"}
    /// ```
    ///
    /// ## Fix
    ///
    /// `previous_response_id` is removed: the conversation contains the response, if both belong to one history.
    /// That is not proven, so the fix counts as lossy.
    ///
    /// ## Evidence
    ///
    /// Documented: "Cannot be used in conjunction with `conversation`." The sentence comes from a compatible
    /// server.
    CHAIN_AND_CONVERSATION, "chain-and-conversation" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "the request has both previous_response_id and conversation",
            related: "the conversation",
            api: Some(
                "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only providing one of \
                 these parameters.",
            ),
            evidence: Evidence::Documented,
            fix: "remove previous_response_id",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let settings = &cx.history.settings;
    if let (Some(previous), Some(conversation)) = (settings.previous, settings.conversation) {
        out.add(cx.request_finding(RULE.code, previous.at).with_partner(conversation).act(RepairAct::Unset));
    }
}
