//! RL532: two `tool_result` blocks answer one `tool_use`.

use crate::history::{Finding, Pair, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a second `tool_result` for one `tool_use` in the same turn.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_abc
    ///
    /// It happens when a client writes a result for an interrupted call, and the tool answers after all.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
    ///  {"role":"user","content":[
    ///   {"type":"tool_result","tool_use_id":"toolu_1","content":"ok"},
    ///   {"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// If both have the same content, the later one is dropped, and nothing is lost. Results that differ are not
    /// changed: it is not known which of them the model saw.
    ///
    /// ## Evidence
    ///
    /// Reported: vectorize-io/hindsight PR#4250, sipeed/picoclaw PR#1793, BerriAI/litellm PR#19324.
    ANTHROPIC_DUPLICATE_RESULT, "anthropic-duplicate-result" of "anthropic", Check::Pair(check),
    [
        Variant {
            message: "duplicate tool_result for {call_id} with the same content",
            related: "the first result",
            api: Some(API),
            evidence: Evidence::Reported,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate tool_result for {call_id} with different content",
            related: "the first result",
            api: Some(API),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

const API: &str =
    "each tool_use must have a single result. Found multiple `tool_result` blocks with id: {call_id}";

const DIFFERS: u8 = 1;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::DuplicateOutput {
        return;
    }
    let (row, twin) = (cx.row(pair.output), cx.row(pair.twin));
    let finding = Finding::new(RULE.code, *row).with_partner(twin.at);
    out.add(match cx.text.same_content(row, twin) {
        true => finding.act(RepairAct::Drop),
        false => finding.variant(DIFFERS).never("it is not known which of the two results is the real one"),
    });
}
