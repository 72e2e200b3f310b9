//! RL110: calls of one turn are torn apart, or something is between them and their outputs.

use crate::history::{Act, Family, Finding, PairState};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::{Answer, Levels};

use crate::rules::reasoning::item_without_reasoning::{Told, linked_items, reasoning_by_id, told};

crate::rule! {
    /// ## What it does
    ///
    /// For DeepSeek: finds a call that is separated from its output by anything but other calls and outputs. For OpenAI and
    /// Azure: finds calls that a recorded response in the same file shows to be of one turn, and that an output
    /// separates.
    ///
    /// ## Why it matters
    ///
    /// DeepSeek requires all calls of a turn together and their outputs directly after them. A message between two calls, or
    /// between call and output, gives HTTP 400:
    ///
    /// > No tool output found for tool call call_abc.
    ///
    /// OpenAI pairs every call of a turn with the reasoning that it begins with; an output between two of them ends the group,
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
    /// For DeepSeek the calls are moved together, their outputs after them in call order, then what was between them.
    /// Nothing is lost. Elsewhere nothing is moved by default.
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
            answer: Answer { code: Some("invalid_request_error"), ..Answer::BODY },
            levels: Levels::OFF,
            evidence: Evidence::Recorded,
            fix: "move the outputs to right after the calls",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const TORN: u8 = 0;
const INTERLEAVED: u8 = 1;

fn check(cx: &Cx<'_>, out: &mut Out) {
    torn(cx, out);
    if cx.caps.contiguous_outputs {
        interleaved(cx, out);
    }
}

/// Items that a recorded response shows to be of a turn whose reasoning is elsewhere in the history.
fn torn(cx: &Cx<'_>, out: &mut Out) {
    let present = reasoning_by_id(cx);
    for group in cx.history.groups.iter().filter(|group| !group.has_reasoning()) {
        for row in linked_items(cx, group) {
            out.unheaded.push(row.id);
            if let Told::Torn(reasoning) = told(cx, row, &present) {
                let finding = Finding::new(RULE.code, *row).variant(TORN).with(reasoning);
                out.add(finding.never("it is not known where the calls of the turn belong"));
            }
        }
    }
}

fn interleaved(cx: &Cx<'_>, out: &mut Out) {
    let rows = &cx.history.rows;
    // The nearest row before each that is neither call nor output.
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
        // The user answers an approval, whenever that is.
        if cx.row(pair.call).kind.family() == Some(Family::Approval) {
            continue;
        }
        match foreign_before.get(pair.output as usize) {
            Some(&Some(foreign)) if foreign > pair.call => {
                let finding = Finding::new(RULE.code, *cx.row(pair.call)).variant(INTERLEAVED);
                out.add(finding.with(cx.row(foreign).at).act(Act::Reorder));
            }
            _ => {}
        }
    }
}
