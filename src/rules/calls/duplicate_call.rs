//! RL104: two calls have one call_id.

use crate::history::{Finding, Pair, PairState, RepairAct};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a second call with the `call_id` of an earlier one.
    ///
    /// ## Why it matters
    ///
    /// Outputs are paired by `call_id`, so with two calls of one id it is ambiguous which output belongs to which.
    /// Bedrock Mantle accepted an id that a later call with its own output used again; OpenAI's answer is not known. It
    /// happens when a log is merged with itself, a retry writes the call again, or a model repeats its ids.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"},
    ///  {"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// If both are the same (as canonical JSON), the later one is dropped by default; nothing is lost. If they
    /// differ, nothing is guessed. If they also share an item id, RL301 reports them.
    ///
    /// ## Evidence
    ///
    /// Recorded for Bedrock Mantle (accepted with gpt-5.5 and gpt-5.6). coder's chatd validator rejects two calls with one
    /// id; that wording is its own. Inferred for the rest.
    DUPLICATE_CALL, "duplicate-call" of "responses", Check::Pair(check),
    [
        Variant {
            message: "duplicate {type} {call_id}",
            related: "the first one",
            levels: Levels::WARNING,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate call_id {call_id} on two different calls",
            related: "the first one",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
    ]
}

const DIFFERENT: u8 = 1;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if !matches!(pair.state, PairState::DuplicateCall | PairState::DuplicatePair) {
        return;
    }
    let (row, first) = (*cx.row(pair.call), cx.row(pair.twin));
    if row.has_id() && row.id == first.id {
        return;
    }
    let finding = Finding::new(RULE.code, row).with_partner(first.at);
    // The copy of a whole pair is removed as one: its output is an equal duplicate, too (RL105).
    let copy = cx.text.same_content(&row, first)
        && (pair.state == PairState::DuplicateCall || super::duplicate_output::is_copy_of_first(cx, pair));
    if copy {
        out.add(finding.act(RepairAct::Drop));
    } else {
        out.add(finding.variant(DIFFERENT).never(
            "the calls differ, and it is not known which output belongs \
                                                  to which",
        ));
    }
}
