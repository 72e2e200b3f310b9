//! RL550: a request has no messages.

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
    /// None: the missing content cannot be made up. `fix` never leaves such a list either: where a fix would drop
    /// the last entry, it is not made.
    ///
    /// ## Evidence
    ///
    /// Reported: openclaw/openclaw#75235, openclaw/openclaw#76829.
    ANTHROPIC_EMPTY_MESSAGES, "anthropic-empty-messages" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the request has no messages",
            api: Some("messages: at least one message is required"),
            answer: Answer::BODY,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    if let Some(list) = cx.history.settings.empty {
        out.add(cx.on_request(RULE.code, list).never("the missing content cannot be made up"));
    }
}
