//! RL596: a request has no messages.

use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request whose `messages` are an empty list.
    ///
    /// ## Why it matters
    ///
    /// A conversation must start with a message of the user, and the API rejects a request without one.
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
    /// None: the missing content cannot be made up. `fix` never leaves such a list either: where a fix would drop
    /// the last entry, it is not made.
    ///
    /// ## Evidence
    ///
    /// Documented: the model answers the last message. None of the recorded accepted requests has an empty list.
    BEDROCK_EMPTY_MESSAGES, "bedrock-empty-messages" of "bedrock", Check::History(check),
    [
        Variant {
            message: "the request has no messages",
            answer: Answer::AWS,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    if let Some(list) = cx.history.settings.empty {
        out.add(cx.on_request(RULE.code, list).never("the missing content cannot be made up"));
    }
}
