//! RL533: two `tool_use` blocks have one id.

use std::cell::LazyCell;

use foldhash::{HashMap, HashSet};

use crate::history::{Finding, Kind, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_use` with the id of an earlier one, in the same assistant turn or in another.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.1.content.1: `tool_use` ids must be unique
    ///
    /// It happens when a stream is stored twice, and when a client counts its ids from zero in every turn. In different
    /// turns the same id was accepted twice, so there it is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[
    ///   {"type":"tool_use","id":"toolu_1","name":"f","input":{}},
    ///   {"type":"tool_use","id":"toolu_1","name":"g","input":{}}]},
    ///  {"role":"user","content":[
    ///   {"type":"tool_result","tool_use_id":"toolu_1","content":"ok"},
    ///   {"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// An identical copy of a call that has no result of its own is dropped. Any other call gets a new id, and so does
    /// its result; the first result belongs to the first call. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: trycua/cua#524, BerriAI/litellm#23510. Recorded: two requests to claude-sonnet-4-5 that reuse an id in
    /// another turn were accepted.
    ANTHROPIC_DUPLICATE_CALL, "anthropic-duplicate-call" of "anthropic", Check::History(check),
    [
        Variant {
            message: "duplicate tool_use id {call_id} within one turn",
            related: "the first call with this id",
            api: Some(API),
            evidence: Evidence::Reported,
            fix: "give the call and its result a new id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate tool_use {call_id}: an identical call is in the same turn",
            related: "the first call with this id",
            api: Some(API),
            evidence: Evidence::Reported,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate tool_use id {call_id}: already used in another turn",
            related: "the first call with this id",
            api: Some(API),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "give the call and its result a new id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const API: &str = "messages.{message}.content.{block}: `tool_use` ids must be unique";

const COPY: u8 = 1;
const ELSEWHERE: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    let open = LazyCell::new(|| {
        let open = cx.history.pairs.iter().filter(|pair| pair.state == PairState::Open);
        open.map(|pair| pair.call).collect::<HashSet<u32>>()
    });
    // By key: the step, and the call.
    let mut seen: HashMap<u64, (u32, u32)> = HashMap::default();
    for step in &messages.steps {
        for ix in messages.rows_of(step.model.clone()) {
            let row = cx.row(ix);
            if row.kind != Kind::ToolUse || row.key == 0 {
                continue;
            }
            let Some(&(first_step, first)) = seen.get(&row.key) else {
                seen.insert(row.key, (step.model.start, ix));
                continue;
            };
            let twin = cx.row(first);
            if !cx.text.same_id(row, twin) {
                continue;
            }
            let finding = Finding::new(RULE.code, *row).with_partner(twin.at);
            out.add(match first_step == step.model.start {
                true if open.contains(&ix) && cx.text.same_content(row, twin) => {
                    finding.variant(COPY).act(RepairAct::Drop)
                }
                true => finding.act(RepairAct::Rekey),
                false => finding.variant(ELSEWHERE).act(RepairAct::Rekey),
            });
            seen.insert(row.key, (step.model.start, ix));
        }
    }
}
