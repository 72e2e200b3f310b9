//! RL509: a request has no messages.

use crate::history::{Finding, Row};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Answer;

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
    /// There is none: what was to be said is not there.
    ///
    /// ## Evidence
    ///
    /// Reported: CopilotKit/CopilotKit#529.
    CHAT_EMPTY_MESSAGES, "chat-empty-messages" of "chat", Check::History(check),
    [
        Variant {
            message: "the request has no messages",
            api: Some("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."),
            answer: Answer { param: Some("messages"), code: Some("empty_array"), ..Answer::HISTORY },
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    if let Some(request) = cx.history.settings.request.filter(|_| cx.history.rows.is_empty()) {
        out.add(Finding::new(RULE.code, Row::of_place(request, 0)).never("the missing content cannot be made up"));
    }
}
