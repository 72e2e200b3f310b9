//! RL604: a request does not match the response that it builds on.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds, in `tree` and `rebuild`, a request that does not match the response named by its `previous_response_id`.
    /// Both must be stored, in one file or in several that are read together. Three cases are reported: the response
    /// names a different previous response; the earlier response was made with `store: false`; or it ends in a call
    /// that the request does not answer.
    ///
    /// ## Why it matters
    ///
    /// No request can build on a response that was not stored: "Previous response with id 'resp_…' not found." An
    /// unanswered call would be rejected as in a full history: "No tool output found for function call call_…". A
    /// request whose own response is stored was accepted, and is never reported for either.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"object":"response","id":"resp_1","output":[{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}]}
    /// {"model":"gpt-5.5","previous_response_id":"resp_1","input":[{"role":"user","content":"and now?"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None in the file: `replaylint rebuild FILE` prints a request with the whole history, repaired.
    ///
    /// ## Evidence
    ///
    /// The first sentence is recorded, for an id that the server does not know; that `store: false` stores nothing is
    /// documented. The second is reported for full histories (coder#24722, copilot-cli#4572), and coder's test server
    /// rejects a chain on a response with open calls; it is not known for a chained request, so this is a warning.
    BROKEN_CHAIN, "broken-chain", Check::External,
    [
        Variant {
            message: "the response and its request name different previous responses",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "the request builds on a response that was not stored (store: false)",
            related: "the response",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the request does not answer the last call of the response that it builds on",
            related: "the call",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}
