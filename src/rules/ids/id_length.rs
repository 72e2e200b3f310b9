//! RL310: an id or call_id is longer than the API accepts.

use crate::history::{Family, Finding, Flags, ItemFlags, NONE, RepairAct, STRIP_ID};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `call_id` or an item's `id` of more than 64 characters.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.
    ///
    /// It happens when a proxy packs state into ids, or a history comes from another provider. Codex's backend rejects
    /// it as the API does, though it once created ids of 69 characters itself.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","call_id":"call_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789","name":"f",
    ///  "arguments":"{}"}
    /// ```
    ///
    /// ## Fix
    ///
    /// The `call_id` is shortened on the call and its output, to the same short id in every run. With server state
    /// (`previous_response_id`, `conversation`) the server may know the call under the long id, so it is kept. A
    /// long item id is removed, with those of its group.
    ///
    /// ## Evidence
    ///
    /// Documented: the schema's `maxLength` of 64. Reported, in histories sent to Codex's backend, too: fastllm#45, ungate#26, 9router#393, NousResearch/hermes-agent#72006.
    ID_LENGTH, "id-length" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "the call_id of {type} has {call_id_length} characters; at most 64 are allowed",
            related: "its partner",
            api: Some(
                "Invalid 'input[{index}].call_id': string too long. Expected a string with maximum length 64, but got a \
                 string with length {call_id_length} instead.",
            ),
            error: ErrorDetails { param: Some("input[{index}].call_id"), code: TOO_LONG, ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "shorten the call_id on the call and its output",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            ..Variant::BASE
        },
        Variant {
            message: "the id of {type} has {id_length} characters; at most 64 are allowed",
            api: Some(
                "Invalid 'input[{index}].id': string too long. Expected a string with maximum length 64, but got a string \
                 with length {id_length} instead.",
            ),
            error: ErrorDetails { param: Some("input[{index}].id"), code: TOO_LONG, ..ErrorDetails::HISTORY },
            evidence: Evidence::Reported,
            fix: "remove the id, and the ids of its group",
            ..Variant::BASE
        },
    ]
}

const TOO_LONG: Option<&str> = Some("string_above_max_length");

const ITEM_ID: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for pair in &cx.history.pairs {
        let first = pair.subject();
        let row = *cx.row(first);
        // An output without a call is dropped for that reason; with server state its id is the server's.
        let lonely_output = pair.call == NONE && !cx.has_server_state();
        if !row.has(Flags::LONG_KEY) || row.kind.family() == Some(Family::Approval) || lonely_output {
            continue;
        }
        let other = [pair.call, pair.output].into_iter().find(|ix| *ix != NONE && *ix != first);
        let finding = Finding::new(RULE.code, row).with_partner(other.map(|ix| cx.row(ix).at));
        out.add(match cx.has_server_state() {
            true => finding.never("the server may have stored the call under this id"),
            false => finding.act(RepairAct::Rename),
        });
    }
    for row in cx.history.rows.iter().filter(|row| row.has(ItemFlags::LONG_ID)) {
        out.add(Finding::new(RULE.code, *row).variant(ITEM_ID).remedy(STRIP_ID));
    }
}
