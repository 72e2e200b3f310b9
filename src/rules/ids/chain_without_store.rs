//! RL307: a request builds on a stored response but is not stored itself.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds requests that name a `previous_response_id` while `store` is false.
    ///
    /// ## Why it matters
    ///
    /// The request itself may be accepted, but no request can build on its response: the next one with its id is
    /// rejected with "Previous response with id 'resp_abc' not found." If the earlier response was not stored either,
    /// this request is rejected, too. It happens when one setting is changed without the other.
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
    /// Documented: a response that is not stored cannot be retrieved. Whether the earlier response was stored is not
    /// known, hence a warning.
    CHAIN_WITHOUT_STORE, "chain-without-store" of "responses" tags [Identity], Check::History(check),
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

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if let Some(previous) = cx.history.settings.previous.filter(|_| !cx.stored && cx.caps.chaining) {
        out.add(cx.request_finding(RULE.code, previous.at).never("it is not known which of the two was meant"));
    }
}
