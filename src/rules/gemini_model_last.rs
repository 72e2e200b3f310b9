//! RL569: a request ends with a turn of the model.

use crate::history::{BondState, Finding, Flags, Role, Usage};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::{Answer, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a model turn at the end of a request. An unanswered call there is RL560.
    ///
    /// ## Why it matters
    ///
    /// Newer models were reported to reject such requests with HTTP 400:
    ///
    /// > Requests ending with a model turn are not supported.
    ///
    /// Others continue the turn, so it is a warning. It happens when a history is sent again without the next words of
    /// the user, and when responses are stored in turns of the model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Hello"}]},
    ///  {"role":"model","parts":[{"text":"Hi"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: what the user says next is not in the file.
    ///
    /// ## Evidence
    ///
    /// Reported: microsoft/semantic-kernel PR#13288, UKGovernmentBEIS/inspect_ai.
    569, "gemini-model-last" of "gemini", Check::History(check),
    [
        Variant {
            message: "the request ends with a model turn",
            api: Some("Requests ending with a model turn are not supported."),
            also: &["Please ensure that multiturn requests ends with a user role or a function response."],
            answer: Answer::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    let turns = &cx.history.turns;
    let Some(last) = turns.turns.last().filter(|turn| turn.role == Role::Assistant) else { return };
    let row = cx.row(last.row);
    let waits = turns.bonds.iter().any(|bond| bond.state == BondState::Open && last.blocks().contains(&bond.call));
    if cx.history.settings.usage != Usage::Log && !row.has(Flags::RECORDED) && !waits {
        out.add(Finding::new(RULE.code, *row).never("what the user says next is not in the file"));
    }
}
