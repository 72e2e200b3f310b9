//! RL561: a response answers no call.

use crate::history::{Finding, Flags, ORPHAN, Pair, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `functionResponse` that is not in the turn after a turn with calls, and more responses
    /// than there are calls before them.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Please ensure that function response turn comes immediately after a function call turn.
    ///
    /// or, if there are too many:
    ///
    /// > Please ensure that the number of function response parts is equal to the number of function call parts of the
    /// > function call turn.
    ///
    /// It happens when a history is cut from the front, or compacted while a call was open.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"output":"sunny"}}}]},
    ///  {"role":"model","parts":[{"text":"Sunny."}]},
    ///  {"role":"user","parts":[{"text":"Thanks"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The response is dropped. What the tool returned is lost for the model; `--dropped FILE` keeps it.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain-ai/langchain#27799, BerriAI/litellm#26755; for the number of responses see RL560.
    GEMINI_ORPHAN_RESPONSE, "gemini-orphan-response" of "gemini", Check::Pair(check),
    [
        Variant {
            message: "functionResponse⟨ {name}⟩ does not follow a turn with calls",
            api: Some("Please ensure that function response turn comes immediately after a function call turn."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "drop the response",
            ..Variant::BASE
        },
        Variant {
            message: "functionResponse⟨ {name}⟩ has no matching call in the previous turn",
            api: Some("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "drop the response",
            ..Variant::BASE
        },
        Variant {
            message: "functionResponse⟨ {name}⟩ has neither the id nor the name of a call in the previous turn",
            related: "the call that it answers by its position",
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "give it the name of its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const SURPLUS: u8 = 1;
const MISNAMED: u8 = 2;

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    if pair.state == PairState::Answered {
        let (call, output) = (cx.row(pair.call), cx.row(pair.output));
        let same_id = call.id != 0 && call.id == output.id;
        if output.key != 0 && call.key != 0 && output.key != call.key && !same_id && !output.has(Flags::RECORDED) {
            out.add(
                Finding::new(RULE.code, *output).variant(MISNAMED).with_partner(call.at).act(RepairAct::Retype),
            );
        }
    }
    if pair.state != PairState::Orphan {
        return;
    }
    let step = messages.number_of(pair.output).and_then(|number| messages.step_answered_in(number));
    let calls = |step: &crate::history::ModelStep| {
        messages.rows_of(step.model.clone()).any(|ix| cx.row(ix).kind == crate::history::Kind::ToolUse)
    };
    let variant = if step.is_some_and(calls) { SURPLUS } else { 0 };
    out.add(Finding::new(RULE.code, *cx.row(pair.output)).variant(variant).remedy(ORPHAN));
}
