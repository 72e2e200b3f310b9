//! RL580: a call has no result in the next turn.

use std::cell::LazyCell;

use crate::history::{Finding, Flags, Pair, PairState, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `toolUse` that has no `toolResult` in the next user turn. A result in a later message of that turn,
    /// after another user message, is a warning. Server-side tools are answered in the turn of the call itself.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Expected toolResult blocks at messages.2.content for the following Ids: tooluse_abc
    ///
    /// It happens when a run is interrupted, when the user writes before the tool answers, when a history is cut, and
    /// when a client puts each result of a turn into a message of its own. At the end of a log the call is still
    /// pending and only a note (shown with `-v`).
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Weather?"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"weather","input":{}}}]},
    ///  {"role":"user","content":[{"text":"Are you there?"}]}],
    ///  "toolConfig":{"tools":[{"toolSpec":{"name":"weather","inputSchema":{"json":{"type":"object"}}}}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// A result that is elsewhere is moved to the start of the message after its call. From a later message of the same
    /// turn this requires `--fix-warnings`, or `--proven RL580` after the rejection. Otherwise the call gets a
    /// placeholder result. Nothing is lost in these cases. With `--orphans drop` the call is dropped, and its message
    /// with it if that is empty then. For Llama, a call before a text of the user is dropped in any case: a result must
    /// not be in one message with text (RL597).
    ///
    /// ## Evidence
    ///
    /// Reported: agno-agi/agno#6698, zeroclaw-labs/zeroclaw#1476, NousResearch/hermes-agent#108584. Results over
    /// several user messages are rejected by Claude Sonnet 4.5 and 4.6, GLM 4.7 and 5: mlflow/mlflow#24296 (fixed by
    /// #24309), genkit-ai/aws-bedrock-js-plugin#664, agno-agi/agno#6890; and by Nova Micro: anomalyco/opencode#41780
    /// (fixed there, August 2026). Of other models this is not known, hence a warning.
    BEDROCK_MISSING_RESULT, "bedrock-missing-result" of "bedrock", Check::History(check),
    [
        Variant {
            message: "toolUse {call_id} has no toolResult in the next turn",
            api: Some(EXPECTED),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "the toolResult for {call_id} is not in the next turn",
            related: "the result is here",
            api: Some(EXPECTED),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "move the result to right after its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "tool_use {call_id} is still pending at the end of the log",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the toolResult for {call_id} is not in the message directly after the call, but in a later one",
            related: "the result is here",
            api: Some(EXPECTED),
            error: ErrorDetails::AWS,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "move the result to the first message after its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const EXPECTED: &str = "Expected toolResult blocks at messages.{arg}.content for the following Ids: {call_id}";

const FAR: u8 = 1;
const PENDING: u8 = 2;
const SPLIT: u8 = 3;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    let seconds = LazyCell::new(|| cx.repeated_calls(messages.list.iter().map(|message| message.blocks())));
    for pair in &cx.history.pairs {
        match pair.state {
            PairState::Answered => find_later_result(cx, pair, out),
            // A server-side call may still be running; a second call with one id is RL582.
            PairState::Open | PairState::Misplaced
                if !cx.row(pair.call).has(Flags::SERVER_RUN) && !seconds.contains(&pair.call) =>
            {
                let step = messages.number_of(pair.call).and_then(|number| messages.step_of(number));
                let finding = cx.unanswered_call(RULE.code, pair, [FAR, PENDING]);
                let after = step.map_or(0, |step| step.model.end);
                finding.into_iter().for_each(|finding| out.add(finding.arg(after)));
            }
            _ => {}
        }
    }
}

/// Reports a result that is in another message than the first one after its call.
fn find_later_result(cx: &RuleContext<'_>, pair: &Pair, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    let Some(number) = messages.number_of(pair.output) else { return };
    let Some(step) = messages.step_answered_in(number) else { return };
    if number > step.answers.start && !cx.row(pair.output).has(Flags::RECORDED) {
        let finding = Finding::new(RULE.code, *cx.row(pair.call)).variant(SPLIT).arg(step.answers.start);
        out.add(finding.with_partner(cx.row(pair.output).at).act(RepairAct::Reorder));
    }
}
