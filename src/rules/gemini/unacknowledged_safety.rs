//! RL570: a call was held back for a person to allow it, and its response does not say that one did.

use crate::history::{Finding, Flags, Pair, PairState};
use crate::json::Val;
use crate::json::edit::Base;
use crate::json::mend::{Cannot, Mend, put_member};
use crate::place::Edit;
use crate::rule::{Check, Cx, Evidence, Out, Variant, When};
use crate::target::{Answer, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a response to a computer-use call with a `safety_decision` but without a `safety_acknowledgement`.
    ///
    /// ## Why it matters
    ///
    /// The API was reported to reject the request with HTTP 400:
    ///
    /// > The safety decision from function call click_at must be acknowledged in the corresponding function response.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Buy it"}]},
    ///  {"role":"model","parts":[{"functionCall":{"name":"click_at","args":{"x":1,"y":2,
    ///   "safety_decision":{"decision":"require_confirmation"}}}}]},
    ///  {"role":"user","parts":[{"functionResponse":{"name":"click_at","response":{"url":"https://example.com"}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None by default: acknowledging is your decision. `--acknowledge-safety` adds it.
    ///
    /// ## Evidence
    ///
    /// Reported once: google-gemini/computer-use-preview#97; so it is a warning.
    GEMINI_UNACKNOWLEDGED_SAFETY, "gemini-unacknowledged-safety" of "gemini", Check::Pair(check),
    [
        Variant {
            message: "functionResponse⟨ {name}⟩ does not acknowledge the safety decision of its call",
            related: "the call",
            api: Some("The safety decision from function call {name} must be acknowledged in the corresponding function response."),
            answer: Answer::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "acknowledge it",
            when: When::Flag,
            ..Variant::BASE
        },
    ]
}

static MEND: Mend = Mend::by(acknowledge);

fn check(cx: &Cx<'_>, pair: &Pair, out: &mut Out) {
    if pair.state != PairState::Answered {
        return;
    }
    let (call, response) = (cx.row(pair.call), cx.row(pair.output));
    if !call.has(Flags::CHECKS_PENDING) {
        return;
    }
    let mut acknowledged = true;
    cx.look.look(response, &mut |part: Val<'_>| {
        let paths = [["functionResponse", "response"], ["function_response", "response"]];
        let said = paths.iter().find_map(|path| part.at(path));
        acknowledged = said.is_some_and(|said| said.get("safety_acknowledgement").is_some());
    });
    if !acknowledged {
        out.add(Finding::new(RULE.code, *response).with(call.at).mend(&MEND));
    }
}

/// Says that a person allowed what the model was held back from.
fn acknowledge(part: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    let paths = [["functionResponse", "response"], ["function_response", "response"]];
    let said = paths.iter().find_map(|path| part.at(path)).filter(Val::is_object);
    let said = said.ok_or(Cannot("the response says nothing that it could be added to"))?;
    Ok(put_member(said, "safety_acknowledgement", br#""true""#, base, out)?)
}
