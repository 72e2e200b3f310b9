//! RL585: a message has no content.

use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a message whose `content` is missing or empty.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > The content field in the Message object at messages.355 is empty. Add a ContentBlock object to the content field and
    /// > try again.
    ///
    /// It happens when the model answered nothing, and when all that a message said was filtered out.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Hello"}]},
    ///  {"role":"assistant","content":[]},
    ///  {"role":"user","content":[{"text":"Are you there?"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The message, which had no content, is dropped. The only message of a history is kept.
    ///
    /// ## Evidence
    ///
    /// Reported, and verified with both roles: theopenco/llmgateway PR#3127. None of 21 recorded accepted requests has such a
    /// message.
    BEDROCK_EMPTY_CONTENT, "bedrock-empty-content" of "bedrock" about [Field], Check::History(check),
    [
        Variant {
            message: "the message has no content",
            api: Some("The content field in the Message object at messages.{message} is empty. Add a ContentBlock object to the content field and try again."),
            answer: Answer::AWS,
            evidence: Evidence::Reported,
            fix: "drop the message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    cx.empty_messages(RULE.code, out);
}
