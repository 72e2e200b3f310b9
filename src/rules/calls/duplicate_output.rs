//! RL105: two outputs have one call_id.

use crate::history::{Act, Finding, Pair, PairState};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant, When};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a second output for a call that is already answered.
    ///
    /// ## Why it matters
    ///
    /// One call has one result. No recorded accepted request has two outputs for one `call_id`; what the API says to it
    /// was not seen. It happens when a log is merged with itself, or a cancelled run still delivers its result.
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
    /// Inferred. coder's chatd validator rejects it in words of its own.
    DUPLICATE_OUTPUT, "duplicate-output" of "responses", Check::Pair(check),
    [
        Variant {
            message: "duplicate {type} {call_id}",
            related: "the other one",
            levels: Levels::WARNING,
            fix: "drop the later copy",
            loss: Loss::Lossless,
            when: When::Always,
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

fn check(cx: &Cx<'_>, pair: &Pair, out: &mut Out) {
    let row = match pair.state {
        PairState::OutputAgain | PairState::PairAgain => *cx.row(pair.output),
        _ => return,
    };
    let first = match pair.state {
        PairState::OutputAgain => Some(*cx.row(pair.twin)),
        // Only a copied pair has two outputs for one call; another call of the same id has its own.
        _ => first_output(cx, pair).filter(|_| cx.look.same(cx.row(pair.call), cx.row(pair.twin))),
    };
    let Some(first) = first.filter(|first| !row.has_id() || row.id != first.id) else { return };
    let finding = Finding::new(RULE.code, row).with(first.at);
    if cx.look.same(&row, &first) {
        out.add(finding.act(Act::Drop));
    } else if pair.state == PairState::OutputAgain {
        out.add(finding.variant(DIFFERENT).never(
            "the outputs differ, and it is not known which one the model \
                                                  saw",
        ));
    }
}

/// The output of the pair that first had this key.
fn first_output(cx: &Cx<'_>, pair: &Pair) -> Option<crate::history::Row> {
    Pair::of_answered(&cx.history.pairs, pair.twin).map(|first| *cx.row(first.output))
}

/// Whether the output of a pair says what that of the first pair with its key says.
pub(super) fn is_copy_of_first(cx: &Cx<'_>, pair: &Pair) -> bool {
    first_output(cx, pair).is_some_and(|first| cx.look.same(cx.row(pair.output), &first))
}
