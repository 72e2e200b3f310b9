//! RL550: a request has no messages.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request whose `messages` are an empty list.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages: at least one message is required
    ///
    /// It happens when a history is cut to fit a budget, or repaired by dropping its only message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","max_tokens":1024,"system":"Be brief.","messages":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the missing content cannot be invented. `fix` never produces such a list either: a fix that would drop the
    /// last entry is not applied.
    ///
    /// ## Evidence
    ///
    /// Reported: openclaw/openclaw#75235, openclaw/openclaw#76829.
    ANTHROPIC_EMPTY_MESSAGES, "anthropic-empty-messages" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the request has no messages",
            api: Some("messages: at least one message is required"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if let Some(list) = cx.history.settings.empty {
        out.add(cx.request_finding(RULE.code, list).never("the missing content cannot be invented"));
    }
}
