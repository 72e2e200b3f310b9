//! RL408: a message is empty, and the server rejects it.

use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// For xAI: finds messages whose content is an empty string, an empty list or null. OpenAI accepts them.
    ///
    /// ## Why it matters
    ///
    /// xAI rejects the history with HTTP 400:
    ///
    /// > Each message must have at least one content element.
    ///
    /// It happens when a turn that only called tools is stored as an empty message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"role":"assistant","content":""}
    /// ```
    ///
    /// ## Fix
    ///
    /// The message, which has no content, is dropped.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain#34140 and five projects that guard against it. Eight recorded OpenAI requests with
    /// empty texts were accepted.
    EMPTY_CONTENT, "empty-content" of "responses" tags [Field], Check::External,
    [
        Variant {
            message: "the message has no content",
            api: Some("Each message must have at least one content element."),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "drop the empty message",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}
