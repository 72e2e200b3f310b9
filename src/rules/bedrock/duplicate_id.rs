//! RL582: a message has two calls, or two results, with one id.

use foldhash::{HashMap, HashSet};

use crate::history::{Finding, Kind, PairState, RepairAct, Row};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds two `toolUse` blocks, or two `toolResult` blocks, with the same `toolUseId` in one message.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > The toolResult blocks at messages.2.content contain duplicate Ids: tooluse_abc
    ///
    /// > The toolUse blocks at messages.1.content contain duplicate Ids: tooluse_abc
    ///
    /// It happens when a client stores a result for an interrupted call, and the tool answers after all; and when streamed
    /// blocks are stored twice.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Weather?"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"weather","input":{}}}]},
    ///  {"role":"user","content":[
    ///   {"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"sunny"}]}},
    ///   {"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"sunny"}]}}]}],
    ///  "toolConfig":{"tools":[{"toolSpec":{"name":"weather","inputSchema":{"json":{"type":"object"}}}}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// Of two identical blocks the later is dropped, and nothing is lost. A call that differs gets a new id, with its
    /// result. Results that differ are not changed: it is not known which of them the model should see.
    ///
    /// ## Evidence
    ///
    /// Reported: BerriAI/litellm#20047 and #20048, kirodotdev/Kiro#9355.
    BEDROCK_DUPLICATE_ID, "bedrock-duplicate-id" of "bedrock", Check::History(check),
    [
        Variant {
            message: "duplicate toolResult for {call_id} with the same content",
            related: "the first one",
            api: Some(RESULTS),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate toolResult for {call_id} with different content",
            related: "the first one",
            api: Some(RESULTS),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate toolUse {call_id}: an identical call is in the same message",
            related: "the first one",
            api: Some(CALLS),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate toolUseId {call_id} on two different calls of one message",
            related: "the first one",
            api: Some(CALLS),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "give the later call and its result a new id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const RESULTS: &str = "The toolResult blocks at messages.{message}.content contain duplicate Ids: {call_id}";
const CALLS: &str = "The toolUse blocks at messages.{message}.content contain duplicate Ids: {call_id}";

const SAME: u8 = 0;
const DIFFERS: u8 = 1;
const SAME_CALL: u8 = 2;
const OTHER_CALL: u8 = 3;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    // Calls and results that form a pair are not copies, whatever their content: both get a new id.
    let answered =
        cx.history.pairs.iter().filter(|pair| matches!(pair.state, PairState::Answered | PairState::Misplaced));
    let paired: HashSet<u32> = answered.flat_map(|pair| [pair.call, pair.output]).collect();
    for message in &messages.list {
        let mut seen: HashMap<(bool, u64), &Row> = HashMap::default();
        for ix in message.blocks() {
            let row = cx.row(ix);
            if !matches!(row.kind, Kind::ToolUse | Kind::ToolResult) || row.key == 0 {
                continue;
            }
            let is_call = row.kind == Kind::ToolUse;
            let Some(first) = seen.get(&(is_call, row.key)).copied() else {
                seen.insert((is_call, row.key), row);
                continue;
            };
            let finding = Finding::new(RULE.code, *row).with_partner(first.at);
            let same = || cx.text.same_content(first, row);
            out.add(match is_call {
                true if !paired.contains(&ix) && same() => finding.variant(SAME_CALL).act(RepairAct::Drop),
                true => finding.variant(OTHER_CALL).act(RepairAct::Rekey),
                false if paired.contains(&ix) => continue,
                false if same() => finding.variant(SAME).act(RepairAct::Drop),
                false => finding.variant(DIFFERS).never(
                    "it is not known which of the two results is the real \
                                                         one",
                ),
            });
        }
    }
}
