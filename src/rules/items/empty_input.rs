//! RL422: the input of a request is an empty list.

use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request whose `input` is an empty list, and that builds neither on a stored response (`previous_response_id`), a
    /// `conversation` nor a stored `prompt`.
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
    /// None: the missing content cannot be made up. `fix` never leaves such a list either: where a fix would drop
    /// the last entry, it is not made.
    ///
    /// ## Evidence
    ///
    /// Documented: `input` may be left out only with `previous_response_id`, `conversation` or `prompt`. None of the recorded
    /// accepted requests has an empty list without one of these.
    EMPTY_INPUT, "empty-input" of "responses" about [Field], Check::History(check),
    [
        Variant {
            message: "the request has no input",
            answer: Answer { param: Some("input"), ..Answer::HISTORY },
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    if let Some(list) = cx.history.settings.empty.filter(|_| !cx.server_state()) {
        out.add(cx.on_request(RULE.code, list).never("the missing content cannot be made up"));
    }
}
