//! RL570: a response does not acknowledge the safety decision of its call.

use crate::history::{Finding, Flags, Pair, PairState};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::place::Edit;
use crate::rule::{Autofix, Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

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
    /// `fix --acknowledge-safety` adds it. By default nothing is changed: acknowledging is your decision.
    ///
    /// ## Evidence
    ///
    /// Reported once (google-gemini/computer-use-preview#97), so it is a warning.
    GEMINI_UNACKNOWLEDGED_SAFETY, "gemini-unacknowledged-safety" of "gemini", Check::Pair(check),
    [
        Variant {
            message: "functionResponse⟨ {name}⟩ does not acknowledge the safety decision of its call",
            related: "the call",
            api: Some("The safety decision from function call {name} must be acknowledged in the corresponding function response."),
            error: ErrorDetails::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "acknowledge it",
            autofix: Autofix::Flag,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(acknowledge);

fn check(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    if pair.state != PairState::Answered {
        return;
    }
    let (call, response) = (cx.row(pair.call), cx.row(pair.output));
    if !call.has(Flags::CHECKS_PENDING) {
        return;
    }
    let mut acknowledged = true;
    cx.text.with_item(response, &mut |part: Val<'_>| {
        let paths = [["functionResponse", "response"], ["function_response", "response"]];
        let said = paths.iter().find_map(|path| part.at(path));
        acknowledged = said.is_some_and(|said| said.get("safety_acknowledgement").is_some());
    });
    if !acknowledged {
        out.add(Finding::new(RULE.code, *response).with_partner(call.at).edit_value(&MEND));
    }
}

/// Adds the acknowledgement that a person confirmed the call.
fn acknowledge(part: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let paths = [["functionResponse", "response"], ["function_response", "response"]];
    let said = paths.iter().find_map(|path| part.at(path)).filter(Val::is_object);
    let said = said.ok_or(EditRefusal("the response has no object to add it to"))?;
    Ok(put_member(said, "safety_acknowledgement", br#""true""#, base, out)?)
}
