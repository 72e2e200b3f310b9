//! RL103: an output comes before its call.

use crate::history::{Finding, Pair, PairState, RepairAct};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an output that comes before its call. With `previous_response_id` or `conversation` nothing is reported.
    ///
    /// ## Why it matters
    ///
    /// No recorded accepted request without server state has this order, and several clients reject it before sending.
    /// OpenAI's answer is not known, so it is a warning there; DeepSeek requires outputs directly after their calls and
    /// says "No tool output found for tool call call_abc.".
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"function_call_output","call_id":"call_1","output":"sunny"},
    ///  {"type":"function_call","call_id":"call_1","name":"get_weather","arguments":"{}"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// One call and one output in the wrong order are unambiguous: by default the output is moved to after the calls of
    /// its batch. Nothing is lost. Where several calls or outputs share the id, nothing is guessed.
    ///
    /// ## Evidence
    ///
    /// Inferred for OpenAI. coder's chatd validator rejects the order ("Tool output found without preceding function
    /// call"), its own wording, not the provider's. Reported for DeepSeek:
    /// deepseek-ai/awesome-deepseek-integration#740.
    OUTPUT_BEFORE_CALL, "output-before-call" of "responses" tags [MissingPartner], Check::Pair(check),
    [
        Variant {
            message: "{type} {call_id} comes before its call",
            related: "the call",
            levels: Levels::WARNING,
            fix: "move the output to after its call",
            loss: Loss::Lossless,
            autofix: Autofix::Always,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "several calls and outputs share call_id {call_id}, and their order does not tell which belong together",
            related: "a call with this call_id",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
    ]
}

const TANGLED: u8 = 1;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if cx.has_server_state() {
        return;
    }
    let partner = || cx.row(pair.call).at;
    match pair.state {
        PairState::OutputFirst => {
            let row = *cx.row(pair.output);
            out.add(Finding::new(RULE.code, row).with_partner(partner()).act(RepairAct::Reorder));
        }
        PairState::Tangled => {
            let row = *cx.row(pair.output);
            let finding = Finding::new(RULE.code, row).variant(TANGLED).with_partner(partner());
            out.add(finding.never("it is not known which output answers which call"));
        }
        _ => {}
    }
}
