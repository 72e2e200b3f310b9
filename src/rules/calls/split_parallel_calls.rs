//! RL110: calls of one turn are separated from each other, or from their outputs.

use crate::history::{Family, Finding, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

use crate::rules::reasoning::item_without_reasoning::{
    ReasoningRecord, linked_items, reasoning_by_id, recorded_reasoning,
};

crate::rule! {
    /// ## What it does
    ///
    /// For DeepSeek: finds a call that is separated from its output by anything but other calls and outputs. For OpenAI
    /// and Azure: finds calls of one turn, as a recorded response in the same file shows, that are separated by an
    /// output.
    ///
    /// ## Why it matters
    ///
    /// DeepSeek requires all calls of a turn together and their outputs directly after them. A message between two calls, or
    /// between call and output, gives HTTP 400:
    ///
    /// > No tool output found for tool call call_abc.
    ///
    /// OpenAI pairs every call of a turn with the reasoning at its start; an output between two of them ends the group,
    /// and the second call was reported as rejected:
    ///
    /// > Item 'fc_abc' of type 'function_call' was provided without its required 'reasoning' item.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"function_call","call_id":"call_a","name":"f","arguments":"{}"},
    ///  {"role":"assistant","content":"One moment."},
    ///  {"type":"function_call_output","call_id":"call_a","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// For DeepSeek the calls are moved together, followed by their outputs in call order, then by the items that were
    /// between them. Nothing is lost. Elsewhere nothing is moved by default.
    ///
    /// ## Evidence
    ///
    /// Recorded for DeepSeek (one rejection, and the accepted order); deepseek-ai/awesome-deepseek-integration#740. For
    /// OpenAI one report (community thread 1355347), hence a warning, and only with a recorded response as proof.
    SPLIT_PARALLEL_CALLS, "split-parallel-calls" of "responses", Check::History(check),
    [
        Variant {
            message: "{type} {any_id} is separated from the reasoning of its turn",
            related: "the reasoning of the turn",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item."),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{partner_type} between {type} {call_id} and its output",
            related: "the item between them",
            api: Some("No tool output found for tool call {call_id}."),
            error: ErrorDetails { code: Some("invalid_request_error"), ..ErrorDetails::BODY },
            levels: Levels::OFF,
            evidence: Evidence::Recorded,
            fix: "move the outputs to right after the calls",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const SEPARATED: u8 = 0;
const INTERLEAVED: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    report_separated(cx, out);
    if cx.caps.contiguous_outputs {
        report_interleaved(cx, out);
    }
}

/// Reports items of a turn whose reasoning is elsewhere in the history, as a recorded response shows.
fn report_separated(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let present = reasoning_by_id(cx);
    for group in cx.history.groups.iter().filter(|group| !group.has_reasoning()) {
        for row in linked_items(cx, group) {
            out.without_reasoning.push(row.id);
            if let ReasoningRecord::Separated(reasoning) = recorded_reasoning(cx, row, &present) {
                let finding = Finding::new(RULE.code, *row).variant(SEPARATED).with_partner(reasoning);
                out.add(finding.never("it is not known where the calls of the turn belong"));
            }
        }
    }
}

fn report_interleaved(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let rows = &cx.history.rows;
    // For each row, the nearest one before it that is neither call nor output.
    let mut foreign_before: Vec<Option<u32>> = Vec::with_capacity(rows.len());
    let mut last = None;
    for (ix, row) in rows.iter().enumerate() {
        foreign_before.push(last);
        let of_a_call = row.is_client_call() || row.is_client_output();
        if !of_a_call || row.kind.family() == Some(Family::Approval) {
            last = Some(ix as u32);
        }
    }
    for pair in cx.history.pairs.iter().filter(|p| p.state == PairState::Answered) {
        // The user may answer an approval at any time.
        if cx.row(pair.call).kind.family() == Some(Family::Approval) {
            continue;
        }
        match foreign_before.get(pair.output as usize) {
            Some(&Some(foreign)) if foreign > pair.call => {
                let finding = Finding::new(RULE.code, *cx.row(pair.call)).variant(INTERLEAVED);
                out.add(finding.with_partner(cx.row(foreign).at).act(RepairAct::Reorder));
            }
            _ => {}
        }
    }
}
