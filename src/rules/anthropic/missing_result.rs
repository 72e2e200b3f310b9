//! RL530: a `tool_use` is not answered at the start of the next user message.

use std::cell::LazyCell;

use foldhash::HashMap;

use crate::history::{BlockFlags, Finding, Flags, Kind, ModelStep, Pair, PairState, RepairAct, Role, Usage};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_use` block without a `tool_result` at the start of the next message. Consecutive messages of one
    /// role count as one message, as the API merges them: results may be split over several user messages, but nothing
    /// else may come before a result.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_abc. Each
    /// > `tool_use` block must have a corresponding `tool_result` block in the next message.
    ///
    /// It happens when a run is interrupted, when a user message comes between call and result, and when a program adds
    /// text before its results. At the end of a log the call is still pending and only a note (shown with `-v`).
    ///
    /// In a session of Claude Code it is a note (RL690): versions 2.1.80 to 2.1.280 leave such a call out, and later
    /// ones answer it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
    ///  {"role":"user","content":"Are you there?"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A block that follows a `tool_use` in its turn is moved to before it, except thinking (RL542). A result that is
    /// elsewhere is moved to its place. Otherwise the call gets a placeholder result with `is_error`. With
    /// `--orphans drop` the call is dropped, and its message with it if only thinking remains in it. In a session that
    /// is repaired in place, the placeholder result is a new line after the call.
    ///
    /// Claude Fable 5.1, Mythos 5.1, and Opus, Sonnet and Haiku 5.5 bind thinking to everything before it: for them,
    /// thinking after the change is dropped, too.
    ///
    /// ## Evidence
    ///
    /// Recorded: of two requests of the same blocks the one with a text after the `tool_use` was rejected with this
    /// sentence, and the one with the text before it was accepted 34 seconds later. Reported: Kilo-Org/kilocode#5163,
    /// anthropics/claude-code#1237, #2697, #5060, #5989, OpenHands#7512. Documented: "Tool result blocks must
    /// immediately follow their corresponding tool use blocks", results first, any text after all of them
    /// (platform.claude.com, handle tool calls). For Claude Code: its change log, and the recorded requests of 2.1.85
    /// to 2.1.330.
    ANTHROPIC_MISSING_RESULT, "anthropic-missing-result" of "anthropic" tags [MissingPartner], Check::History(check),
    [
        Variant {
            message: "tool_use {call_id} has no tool_result in the next message",
            api: Some(API),
            also: &["messages.{message}: Did not find {arg} `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks."],
            evidence: Evidence::Reported,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "the tool_result for {call_id} is not in the next message",
            related: "the result is here",
            api: Some(API),
            evidence: Evidence::Reported,
            fix: "move the result to right after its call",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the tool_result for {call_id} comes after other user content",
            related: "the result is here",
            api: Some(API),
            evidence: Evidence::Reported,
            fix: "move the result to the start of the message",
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
            message: "tool_use {call_id} is followed by {partner_type} in the same assistant turn",
            related: "the block after it",
            api: Some(API),
            evidence: Evidence::Recorded,
            fix: "move the blocks after the call to before it",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "tool_use {call_id} has no tool_result in the session",
            api: Some(API),
            evidence: Evidence::Reported,
            fix: "add a placeholder result (use --orphans drop to drop the call instead)",
            loss: Loss::Adds,
            ..Variant::BASE
        },
    ]
}

const API: &str = "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {call_id}. \
                   Each `tool_use` block must have a corresponding `tool_result` block in the next message.";

pub const FAR: u8 = 1;
pub const LATE: u8 = 2;
const PENDING: u8 = 3;
const FOLLOWED: u8 = 4;
pub const IN_SESSION: u8 = 5;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    let answered = LazyCell::new(|| {
        let pairs = cx.history.pairs.iter().filter(|pair| pair.state == PairState::Answered);
        pairs.map(|pair| (pair.output, *pair)).collect::<HashMap<u32, Pair>>()
    });
    for step in &messages.steps {
        report_late_results(cx, step, |result| answered.get(&result).copied(), out);
        report_followed_call(cx, step, out);
    }
    // RL533 reports the others with their id.
    let seconds = cx.repeated_calls(messages.steps.iter().map(|step| messages.rows_of(step.model.clone())));
    for pair in &cx.history.pairs {
        if pair.state == PairState::Open && seconds.contains(&pair.call) {
            continue;
        }
        let Some(mut finding) = cx.unanswered_call(RULE.code, pair, [FAR, PENDING]) else { continue };
        // Lines of a session have the id of their response, and are answered as the agent does.
        let message = messages.of_row(pair.call).map(|message| cx.row(message.row));
        if finding.variant == 0 && message.is_some_and(|row| row.id != 0) {
            finding = finding.variant(IN_SESSION);
        }
        out.add(finding);
    }
}

/// Reports the first call of a turn that is followed by anything but calls. Thinking is not moved: its signature covers
/// its position (RL542).
fn report_followed_call(cx: &RuleContext<'_>, step: &ModelStep, out: &mut FindingSink) {
    let turns = &cx.history.messages;
    let kind = |ix: &u32| cx.row(*ix).kind;
    let mut blocks = turns.rows_of(step.model.clone());
    let Some(call) = blocks.find(|ix| kind(ix) == Kind::ToolUse) else { return };
    let is_other = |ix: &u32| !matches!(kind(ix), Kind::ToolUse | Kind::Thinking | Kind::ToolResult);
    let says = |turn: &u32| cx.row(*turn).has(BlockFlags::CONTENT) && *turn > call;
    if cx.row(call).has(Flags::RECORDED) || cx.history.settings.usage == Usage::Log {
        return;
    }
    // A string as the content of a message has no row.
    let text = step.model.clone().map(|turn| turns.get(turn).row).find(says);
    let other = blocks.find(is_other);
    let Some(partner) = text.or(other) else { return };
    let finding = Finding::new(RULE.code, *cx.row(call)).variant(FOLLOWED).with_partner(cx.row(partner).at);
    out.add(finding.act(RepairAct::Advance));
}

/// Reports results of a step that come after other user content.
fn report_late_results(
    cx: &RuleContext<'_>,
    step: &ModelStep,
    answered: impl Fn(u32) -> Option<Pair>,
    out: &mut FindingSink,
) {
    let messages = &cx.history.messages;
    let mut other = false;
    for message in step.answers.clone().map(|number| messages.get(number)) {
        let row = cx.row(message.row);
        other |= row.has(BlockFlags::CONTENT) && row.role == Role::User;
        for ix in message.blocks() {
            if cx.row(ix).kind != Kind::ToolResult {
                other = true;
            } else if other && let Some(pair) = answered(ix) {
                let finding = Finding::new(RULE.code, *cx.row(pair.call)).variant(LATE);
                out.add(finding.with_partner(cx.row(ix).at).act(RepairAct::Reorder));
            }
        }
    }
}
