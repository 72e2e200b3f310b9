//! RL581: a result answers no call.

use crate::history::{Finding, ORPHAN, Pair, PairState};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `toolResult` without its `toolUse` in the previous turn, and a second one for a call in another
    /// message.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.
    ///
    /// It happens when a history is cut from the front, or compacted while a call was open.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"sunny"}]}}]}],
    ///  "toolConfig":{"tools":[{"toolSpec":{"name":"weather","inputSchema":{"json":{"type":"object"}}}}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// The result is dropped. What the tool returned is lost for the model; `--dropped FILE` keeps it.
    ///
    /// ## Evidence
    ///
    /// Reported in several places.
    BEDROCK_ORPHAN_RESULT, "bedrock-orphan-result" of "bedrock", Check::Pair(check),
    [
        Variant {
            message: "orphaned toolResult {call_id}: no toolUse with this id in the previous turn",
            api: Some("The number of toolResult blocks at messages.{message}.content exceeds the number of toolUse blocks of previous turn."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "drop the result",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    let orphan = match pair.state {
        PairState::Orphan => true,
        // Two in one message are RL582.
        PairState::DuplicateOutput => messages.number_of(pair.twin) != messages.number_of(pair.output),
        _ => false,
    };
    if orphan {
        out.add(Finding::new(RULE.code, *cx.row(pair.output)).remedy(ORPHAN));
    }
}
