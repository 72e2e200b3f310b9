//! RL571: a request has no contents.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

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
    /// None: the missing content cannot be invented. `fix` never produces such a list either: a fix that would drop the
    /// last entry is not applied.
    ///
    /// ## Evidence
    ///
    /// Reported: the sentence is the API's own for a request without contents.
    GEMINI_EMPTY_CONTENTS, "gemini-empty-contents" of "gemini", Check::History(check),
    [
        Variant {
            message: "the request has no contents",
            api: Some("GenerateContentRequest.contents: contents is not specified"),
            error: ErrorDetails::GOOGLE,
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
