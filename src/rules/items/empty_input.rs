//! RL422: the input of a request is an empty list.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request whose `input` is an empty list and that builds on no stored response (`previous_response_id`),
    /// `conversation` or stored `prompt`.
    ///
    /// ## Why it matters
    ///
    /// The model gets nothing to answer, and the API rejects the request.
    ///
    /// It happens when a history is cut to fit a budget, or repaired by dropping its only message.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","input":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the missing content cannot be invented. `fix` never produces such a list either: a fix that would drop the
    /// last entry is not applied.
    ///
    /// ## Evidence
    ///
    /// Documented: `input` may be left out only with `previous_response_id`, `conversation` or `prompt`. None of the recorded
    /// accepted requests has an empty list without one of these.
    EMPTY_INPUT, "empty-input" of "responses" tags [Field], Check::History(check),
    [
        Variant {
            message: "the request has no input",
            error: ErrorDetails { param: Some("input"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if let Some(list) = cx.history.settings.empty.filter(|_| !cx.has_server_state()) {
        out.add(cx.request_finding(RULE.code, list).never("the missing content cannot be invented"));
    }
}
