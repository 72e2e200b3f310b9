//! RL560: a call has no response in the turn after it.

use crate::history::{ANSWER, Finding, Kind, PairState, Usage};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

use super::leading_call;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `functionCall` that has no `functionResponse` in the next user turn. Consecutive contents of one role
    /// are one turn. Calls need no ids: the number of responses counts, and they are paired by ids, names and then
    /// order.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Please ensure that the number of function response parts is equal to the number of function call parts of the
    /// > function call turn.
    ///
    /// It happens when a run is interrupted, when the user writes before the tool answers, and when parallel responses
    /// are stored in several places. At the end of a log the call is still pending and only a note (shown with `-v`).
    ///
    /// Models up to Gemini 2.5 accept a turn whose calls have no responses at all, if the next turn is a user message.
    /// That is an error for Gemini 3 and later, a note in a request to Gemini 2, and a warning elsewhere (`--model` is not known (`--model` sets
    /// it).
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
    /// A response of the same name elsewhere is moved to after the call, and nothing is lost. Otherwise the call gets a
    /// placeholder response, and nothing is lost; with `--orphans drop` it is dropped, and its content with it if that
    /// is empty then. Where it is a warning, this requires `--fix-warnings`.
    ///
    /// ## Evidence
    ///
    /// Reported: google-gemini/gemini-cli#3814, #5443, #7410, #15568, #16972. Twelve recorded requests to
    /// gemini-2.0-flash, gemini-2.5-flash, gemini-2.5-pro and gemini-flash-latest have a call without any response,
    /// followed by a user message, and were accepted. No recorded accepted request answers some calls of a turn but not
    /// all.
    GEMINI_MISSING_RESPONSE, "gemini-missing-response" of "gemini", Check::History(check),
    [
        Variant {
            message: "functionCall⟨ {name}⟩ has no functionResponse in the next turn",
            api: Some(COUNTS),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "the functionResponse for⟨ {name}⟩ is not in the next turn",
            related: "the response is here",
            api: Some(COUNTS),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "move the response to right after its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "functionCall⟨ {name}⟩ is still pending at the end of the log",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "functionCall⟨ {name}⟩ is followed by a user message instead of its functionResponse, \
                      which Gemini 3 and later reject",
            api: Some(COUNTS),
            error: ErrorDetails::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "functionCall⟨ {name}⟩ is followed by a user message instead of its functionResponse, which this model \
                      accepts; Gemini 3 and later reject it",
            api: Some(COUNTS),
            error: ErrorDetails::GOOGLE,
            levels: Levels::INFO,
            evidence: Evidence::Recorded,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
    ]
}

/// The API's sentence for different numbers of calls and responses.
const COUNTS: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

const FAR: u8 = 1;
const PENDING: u8 = 2;
pub const USER_INSTEAD: u8 = 3;
const ACCEPTED: u8 = 4;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let begin = leading_call::first_user_row(cx);
    let mut followed = FollowedSteps::default();
    for pair in &cx.history.pairs {
        let is_open = pair.state == PairState::Open && !cx.is_pending(pair.call);
        if pair.call < begin && (is_open || pair.state == PairState::Misplaced) {
            // It is removed anyway (RL562).
        } else if is_open && !cx.has(Trait::CountsResponses) && followed.by_user(cx, pair.call) {
            // In a log, the model of the next request is not known.
            let is_accepted = cx.has(Trait::AcceptsOpenTurns) && cx.history.settings.usage == Usage::Request;
            let variant = if is_accepted { ACCEPTED } else { USER_INSTEAD };
            out.add(Finding::new(RULE.code, *cx.row(pair.call)).variant(variant).remedy(ANSWER));
        } else {
            cx.unanswered_call(RULE.code, pair, [FAR, PENDING]).into_iter().for_each(|finding| out.add(finding));
        }
    }
}

/// What follows the step of the last call: the calls of a batch share it.
#[derive(Default)]
struct FollowedSteps {
    last: Option<(u32, bool)>,
}

impl FollowedSteps {
    /// True if the next turn is a user message without a response to any call.
    fn by_user(&mut self, cx: &RuleContext<'_>, call: u32) -> bool {
        let messages = &cx.history.messages;
        let Some(step) = messages.number_of(call).and_then(|number| messages.step_of(number)) else {
            return false;
        };
        if let Some((_, is_user)) = self.last.filter(|(model, _)| *model == step.model.start) {
            return is_user;
        }
        let kinds = || messages.rows_of(step.answers.clone()).map(|ix| cx.row(ix).kind);
        let is_user = kinds().any(|kind| matches!(kind, Kind::Text | Kind::Media))
            && kinds().all(|kind| kind != Kind::ToolResult);
        self.last = Some((step.model.start, is_user));
        is_user
    }
}
