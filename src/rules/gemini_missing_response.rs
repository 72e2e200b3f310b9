//! RL560: a call has no response in the turn behind it.

use crate::history::{Act, BondState, Code, Finding};
use crate::rule::{self, Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::{Answer, Levels};

use super::gemini_leading_call;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `functionCall` of the model that no `functionResponse` in the user's turn behind it answers. Contents of
    /// one role that follow each other are one turn. Calls need no ids: what counts is how many responses there are;
    /// ids, names and then their order tell which one is whose.
    ///
    /// ## Why it matters
    ///
    /// The API refuses the request with HTTP 400:
    ///
    /// > Please ensure that the number of function response parts is equal to the number of function call parts of the
    /// > function call turn.
    ///
    /// It happens when a run is interrupted, when the user writes before the tool answers, and when parallel responses
    /// are stored in several places. At the end of a log the call is about to run: there it is only noted (shown with
    /// `-v`).
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Weather?"}]},
    ///  {"role":"model","parts":[{"functionCall":{"name":"weather","args":{}}}]},
    ///  {"role":"user","parts":[{"text":"Are you there?"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A response of the same name that stands elsewhere is moved behind the call, and nothing is lost. Else the call is
    /// dropped, and its content with it if it says nothing else; with `--orphans stub` the call is answered instead, by a
    /// response that claims nothing.
    ///
    /// ## Evidence
    ///
    /// Reported: google-gemini/gemini-cli#3814, #5443, #7410, #15568, #16972. None of 56 recorded accepted requests has
    /// such a call.
    560, "gemini-missing-response", Check::History(check),
    [
        Variant {
            message: "the call⟨ of {name}⟩ has no response in the turn behind it",
            api: Some(COUNTS),
            answer: Answer::GOOGLE,
            evidence: Evidence::Reported,
            fix: "drop the call; --orphans stub would answer it and lose nothing",
            ..Variant::BASE
        },
        Variant {
            message: "the response to the call⟨ of {name}⟩ does not stand in the turn behind it",
            related: "the response stands here",
            api: Some(COUNTS),
            answer: Answer::GOOGLE,
            evidence: Evidence::Reported,
            fix: "move the response behind its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the call⟨ of {name}⟩ has no response yet: the log ends here",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

/// What the API says where calls and responses differ in number.
const COUNTS: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

const FAR: u8 = 1;
const PENDING: u8 = 2;

fn check(cx: &Cx<'_>, out: &mut Out) {
    let begin = gemini_leading_call::begin(cx);
    for bond in &cx.history.turns.bonds {
        let finding = |ix: u32| Finding::new(Code(560), *cx.row(ix));
        match bond.state {
            BondState::Open if cx.is_pending(bond.call) => {
                out.add(finding(bond.call).variant(PENDING).never(rule::ABOUT_TO_RUN));
            }
            // It goes anyway.
            BondState::Open | BondState::Far if bond.call < begin => {}
            BondState::Open => out.add(finding(bond.call).act(Act::Answer)),
            BondState::Far => {
                let partner = cx.row(bond.output).at;
                out.add(finding(bond.call).variant(FAR).with(partner).act(Act::Reorder));
            }
            BondState::Answered | BondState::Orphan | BondState::Again => {}
        }
    }
}
