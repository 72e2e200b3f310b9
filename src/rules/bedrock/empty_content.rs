//! RL585: a message has no content.

use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

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
    /// It happens when the model's answer was empty, and when all content of a message was filtered out.
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
    /// Reported, and verified with both roles: theopenco/llmgateway PR#3127.
    BEDROCK_EMPTY_CONTENT, "bedrock-empty-content" of "bedrock" tags [Field], Check::History(check),
    [
        Variant {
            message: "the message has no content",
            api: Some("The content field in the Message object at messages.{message} is empty. Add a ContentBlock object to the content field and try again."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "drop the message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    cx.report_empty_messages(RULE.code, out);
}
