//! RL503: two tool messages answer one call.

use crate::history::{Finding, Pair, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a second tool message for one call in the same run of tool messages.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid parameter: Duplicate value for 'tool_call_id' of 'call_abc', in messages[7] and messages[8].
    ///
    /// It happens when a cancelled tool still delivers its result, or when a history is merged with itself.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"},
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// If both have the same content (as canonical JSON), the later one is dropped, and nothing is lost. If they
    /// differ, it is not known which one the model saw, and nothing is guessed.
    ///
    /// ## Evidence
    ///
    /// Reported: agno-agi/agno#5116, sst/opencode#1211, nanobot#3945. mistral-common (v13 and later) checks it before
    /// the model is called.
    CHAT_DUPLICATE_REPLY, "chat-duplicate-reply" of "chat", Check::Pair(check),
    [
        Variant {
            message: "duplicate tool message for {call_id} with the same content",
            related: "the first one",
            also: &["Duplicate tool call id {call_id} in tool results"],
            api: Some("Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', in messages[{partner_message}] and messages[{message}]."),
            error: ErrorDetails { param: Some("messages.[{message}].tool_call_id"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate tool message for {call_id} with different content",
            related: "the first one",
            api: Some("Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', in messages[{partner_message}] and messages[{message}]."),
            error: ErrorDetails { param: Some("messages.[{message}].tool_call_id"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const DIFFERENT: u8 = 1;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::DuplicateOutput {
        return;
    }
    let (row, first) = (*cx.row(pair.output), *cx.row(pair.twin));
    let finding = Finding::new(RULE.code, row).with_partner(first.at);
    out.add(match cx.text.same_content(&row, &first) {
        true => finding.act(RepairAct::Drop),
        false => finding
            .variant(DIFFERENT)
            .never("the tool messages differ, and it is not known which one the model saw"),
    });
}
