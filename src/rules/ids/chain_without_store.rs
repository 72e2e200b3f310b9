//! RL307: a request builds on a stored response and stores nothing itself.

use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds requests that name a `previous_response_id` while `store` is false.
    ///
    /// ## Why it matters
    ///
    /// The request itself may pass, but its own response cannot be built on: the next one with its id is
    /// rejected with "Previous response with id 'resp_abc' not found." And if the earlier one was not stored
    /// either, this one is. It happens when one setting is changed without the other.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","store":false,"previous_response_id":"resp_1","input":"Go on"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None by default: it is not known which of the two was meant.
    ///
    /// ## Evidence
    ///
    /// Documented: what is not stored cannot be retrieved. Whether the earlier response was stored is not known,
    /// hence a warning.
    CHAIN_WITHOUT_STORE, "chain-without-store" of "responses" about [Identity], Check::History(check),
    [
        Variant {
            message: "the request builds on a stored response but has store: false, so the next request cannot \
                      build on it",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    if let Some(previous) = cx.history.settings.previous.filter(|_| !cx.stored && cx.caps.chaining) {
        out.add(cx.on_request(RULE.code, previous.at).never("it is not known which of the two was meant"));
    }
}
