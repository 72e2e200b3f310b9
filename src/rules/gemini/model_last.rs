//! RL569: a request ends with a model turn.

use crate::history::{Finding, Flags, PairState, RepairAct, Role, Usage};
use crate::rule::{Autofix, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a model turn at the end of a request. An unanswered call there is RL560. A stored session with an
    /// answer at the end is silent, also with `--as request`: the user's next message follows.
    ///
    /// ## Why it matters
    ///
    /// Newer models were reported to reject such requests with HTTP 400:
    ///
    /// > Requests ending with a model turn are not supported.
    ///
    /// Others continue the turn, so it is a warning. It happens when a history is sent again without a new user
    /// message, and when responses are stored in model turns.
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
    /// For Gemini 3.6 and later, `--fix-warnings` adds a user turn that says "Continue.", as several clients do.
    /// Otherwise none: the next user message is not in the file.
    ///
    /// ## Evidence
    ///
    /// Reported: microsoft/semantic-kernel PR#13288, UKGovernmentBEIS/inspect_ai; for Gemini 3.6 and later
    /// anomalyco/opencode#45359, #47034, pipecat#5821, all of August and September 2026. For earlier models, and where the
    /// model is not known, it is a warning.
    GEMINI_MODEL_LAST, "gemini-model-last" of "gemini" tags [EndOfRequest], Check::History(check),
    [
        Variant {
            message: "the request ends with a model turn",
            api: Some("Requests ending with a model turn are not supported."),
            also: &["Please ensure that multiturn requests ends with a user role or a function response."],
            error: ErrorDetails::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the request ends with a model turn, which Gemini 3.6 and later reject",
            api: Some("Requests ending with a model turn are not supported."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "add a user turn that says \"Continue.\"",
            loss: Loss::Adds,
            autofix: Autofix::OnRequest,
            ..Variant::BASE
        },
    ]
}

const REFUSED: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    let Some(last) = messages.list.last().filter(|message| message.role == Role::Assistant) else { return };
    let row = cx.row(last.row);
    let waits =
        cx.history.pairs.iter().any(|pair| pair.state == PairState::Open && last.blocks().contains(&pair.call));
    if cx.history.settings.usage != Usage::Log && !row.has(Flags::RECORDED) && !waits {
        let finding = Finding::new(RULE.code, *row);
        out.add(match cx.has(Trait::UserLast) {
            true => finding.variant(REFUSED).act(RepairAct::AskToContinue),
            false => finding.never("the next user message is not in the file"),
        });
    }
}
