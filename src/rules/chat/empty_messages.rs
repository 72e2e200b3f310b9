//! RL509: a request has no messages.

use crate::history::{Finding, Row};
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
    /// > Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the missing content cannot be invented.
    ///
    /// ## Evidence
    ///
    /// Reported: CopilotKit/CopilotKit#529.
    CHAT_EMPTY_MESSAGES, "chat-empty-messages" of "chat", Check::History(check),
    [
        Variant {
            message: "the request has no messages",
            api: Some("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."),
            error: ErrorDetails { param: Some("messages"), code: Some("empty_array"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if let Some(request) = cx.history.settings.request.filter(|_| cx.history.rows.is_empty()) {
        out.add(
            Finding::new(RULE.code, Row::of_place(request, 0)).never("the missing content cannot be invented"),
        );
    }
}
