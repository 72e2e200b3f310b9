//! RL571: a request has no contents.

use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request whose `contents` are an empty list.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > GenerateContentRequest.contents: contents is not specified
    ///
    /// It happens when a history is cut to fit a budget, or repaired by dropping its only message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the missing content cannot be made up. `fix` never leaves such a list either: where a fix would drop
    /// the last entry, it is not made.
    ///
    /// ## Evidence
    ///
    /// Reported: the sentence is the API's own for a request without contents.
    GEMINI_EMPTY_CONTENTS, "gemini-empty-contents" of "gemini", Check::History(check),
    [
        Variant {
            message: "the request has no contents",
            api: Some("GenerateContentRequest.contents: contents is not specified"),
            answer: Answer::GOOGLE,
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
