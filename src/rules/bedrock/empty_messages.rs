//! RL596: a request has no messages.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request whose `messages` are an empty list.
    ///
    /// ## Why it matters
    ///
    /// A conversation must start with a user message, and the API rejects a request without one.
    ///
    /// It happens when a history is cut to fit a budget, or repaired by dropping its only message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"modelId":"us.amazon.nova-lite-v1:0","inferenceConfig":{"maxTokens":100},"messages":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the missing content cannot be invented. `fix` never produces such a list either: a fix that would drop the
    /// last entry is not applied.
    ///
    /// ## Evidence
    ///
    /// Documented: the model answers the last message. None of the recorded accepted requests has an empty list.
    BEDROCK_EMPTY_MESSAGES, "bedrock-empty-messages" of "bedrock", Check::History(check),
    [
        Variant {
            message: "the request has no messages",
            error: ErrorDetails::AWS,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if let Some(list) = cx.history.settings.empty {
        out.add(cx.request_finding(RULE.code, list).never("the missing content cannot be invented"));
    }
}
