//! RL312: a request builds on a stored response, and the server stores none.

use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// For servers that store nothing, such as the Codex backend: finds requests with `previous_response_id`.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the request with HTTP 400:
    ///
    /// > Unsupported parameter: previous_response_id
    ///
    /// It happens when a client for OpenAI's own API is pointed at another backend.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5-codex","store":false,"previous_response_id":"resp_1","input":"Go on"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the history up to the response would have to be sent instead, and it is not in the request.
    ///
    /// ## Evidence
    ///
    /// Reported: opencode, Kode-CLI.
    CHAIN_NOT_SUPPORTED, "chain-not-supported" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "previous_response_id is not supported: this server stores no responses",
            api: Some("Unsupported parameter: previous_response_id"),
            levels: Levels::ERROR,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if let Some(previous) = cx.history.settings.previous.filter(|_| !cx.caps.chaining) {
        let finding = cx.request_finding(RULE.code, previous.at);
        out.add(finding.never("the history up to that response has to be sent instead"));
    }
}
