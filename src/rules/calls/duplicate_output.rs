//! RL105: two outputs have one call_id.

use crate::history::{Finding, Pair, PairState, RepairAct};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a second output for a call that is already answered.
    ///
    /// ## Why it matters
    ///
    /// One call has one result. No recorded accepted request has two outputs for one `call_id`; the API's answer is not
    /// known. It happens when a log is merged with itself, or a cancelled run still delivers its result.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// If both are the same (as canonical JSON), the later one is dropped by default; nothing is lost. If they
    /// differ, it is not known which one the model saw, and nothing is guessed. If they also share an item id,
    /// RL301 reports them.
    ///
    /// ## Evidence
    ///
    /// Inferred. coder's chatd validator rejects it in its own words.
    DUPLICATE_OUTPUT, "duplicate-output" of "responses", Check::Pair(check),
    [
        Variant {
            message: "duplicate {type} {call_id}",
            related: "the other one",
            levels: Levels::WARNING,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate output for call_id {call_id} with different content",
            related: "the other one",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
    ]
}

const DIFFERENT: u8 = 1;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    let row = match pair.state {
        PairState::DuplicateOutput | PairState::DuplicatePair => *cx.row(pair.output),
        _ => return,
    };
    let first = match pair.state {
        PairState::DuplicateOutput => Some(*cx.row(pair.twin)),
        // Only a copied pair has two outputs for one call; another call of the same id has its own.
        _ => first_output(cx, pair).filter(|_| cx.text.same_content(cx.row(pair.call), cx.row(pair.twin))),
    };
    let Some(first) = first.filter(|first| !row.has_id() || row.id != first.id) else { return };
    let finding = Finding::new(RULE.code, row).with_partner(first.at);
    if cx.text.same_content(&row, &first) {
        out.add(finding.act(RepairAct::Drop));
    } else if pair.state == PairState::DuplicateOutput {
        out.add(finding.variant(DIFFERENT).never(
            "the outputs differ, and it is not known which one the model \
                                                  saw",
        ));
    }
}

/// The output of the first pair with this key.
fn first_output(cx: &RuleContext<'_>, pair: &Pair) -> Option<crate::history::Row> {
    Pair::find_answered(&cx.history.pairs, pair.twin).map(|first| *cx.row(first.output))
}

/// True if the output of a pair equals that of the first pair with its key.
pub(super) fn is_copy_of_first(cx: &RuleContext<'_>, pair: &Pair) -> bool {
    first_output(cx, pair).is_some_and(|first| cx.text.same_content(cx.row(pair.output), &first))
}
