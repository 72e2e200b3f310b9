//! RL530: a `tool_use` is not answered at the front of the next user message.

use std::collections::{HashMap, HashSet};

use crate::history::{Act, BlockFlags, Finding, Flags, Kind, Pair, PairState, Role, Step, Usage};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_use` block without a `tool_result` at the start of the next message. Consecutive messages of
    /// one role count as one message, as the API merges them: results may be split over several user messages, but
    /// nothing else may come before a result.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_abc. Each `tool_use`
    /// > block must have a corresponding `tool_result` block in the next message.
    ///
    /// It happens when a run is interrupted, when what the user says slips in between call and result, and when a
    /// program adds a text before its results. At the end of a log the call is still pending: there it is only noted
    /// (shown with `-v`).
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
    /// A block that follows a `tool_use` in its turn is moved to before it, but for thinking (RL542), and nothing is lost. A
    /// result that is elsewhere is moved to its place, and nothing is lost. Otherwise the call gets a placeholder
    /// result with `is_error`, and nothing is lost; with `--orphans drop` it is dropped, and its message with it if only
    /// thinking is left of it.
    ///
    /// In a session that is repaired in place a placeholder result comes as a new line after the call, as the agent itself
    /// would add it; `--orphans drop` drops the call.
    ///
    /// ## Evidence
    ///
    /// Recorded: of two requests of the same blocks the one with a text after the `tool_use` was rejected with this sentence,
    /// and the one with the text before it was accepted 34 seconds later; none of 465 accepted requests has such a block.
    /// Reported: kilocode#5163, anthropics/claude-code#1237, #2697, #5060, OpenHands#7512. Documented: "Tool result blocks
    /// must immediately follow their corresponding tool use blocks", results first, any text after all of them. No
    /// recorded accepted request has such a call.
    ANTHROPIC_MISSING_RESULT, "anthropic-missing-result" of "anthropic" about [MissingPartner], Check::History(check),
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
            fix: "move the result to the front",
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
            fix: "move what follows to before the call",
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

fn check(cx: &Cx<'_>, out: &mut Out) {
    let messages = &cx.history.messages;
    let answered: HashMap<u32, Pair> = cx
        .history
        .pairs
        .iter()
        .filter(|pair| pair.state == PairState::Answered)
        .map(|pair| (pair.output, *pair))
        .collect();
    for step in &messages.steps {
        late(cx, step, &answered, out);
        followed(cx, step, out);
    }
    let seconds = seconds(cx);
    for pair in &cx.history.pairs {
        if pair.state == PairState::Open && seconds.contains(&pair.call) {
            continue;
        }
        let Some(mut finding) = cx.unanswered(RULE.code, pair, [FAR, PENDING]) else { continue };
        // Lines of a session are told apart by the response that they are of, and are answered as the agent does.
        let message = messages.of_row(pair.call).map(|message| cx.row(message.row));
        if finding.variant == 0 && message.is_some_and(|row| row.id != 0) {
            finding = finding.variant(IN_SESSION);
        }
        out.add(finding);
    }
}

/// The first call of a turn that something else than a call follows. Thinking stays where it is: moved, it would not be
/// what was signed (RL542).
fn followed(cx: &Cx<'_>, step: &Step, out: &mut Out) {
    let turns = &cx.history.messages;
    let blocks: Vec<u32> = turns.rows_of(step.model.clone()).collect();
    let Some(at) = blocks.iter().position(|ix| cx.row(*ix).kind == Kind::ToolUse) else { return };
    let Some((&call, after)) = blocks.get(at..).and_then(|blocks| blocks.split_first()) else { return };
    let kind = |ix: &u32| cx.row(*ix).kind;
    let is_other = |ix: &&u32| !matches!(kind(ix), Kind::ToolUse | Kind::Thinking | Kind::ToolResult);
    let says = |turn: &u32| cx.row(*turn).has(BlockFlags::CONTENT) && *turn > call;
    if cx.row(call).has(Flags::RECORDED) || cx.history.settings.usage == Usage::Log {
        return;
    }
    // A text that is all of a message's content has no row of its own.
    let text = step.model.clone().map(|turn| turns.get(turn).row).find(says);
    let other = after.iter().find(is_other).copied();
    let Some(partner) = text.or(other) else { return };
    let finding = Finding::new(RULE.code, *cx.row(call)).variant(FOLLOWED).with(cx.row(partner).at);
    out.add(finding.act(Act::Advance));
}

/// Results of a step that come after other content of the user.
fn late(cx: &Cx<'_>, step: &Step, answered: &HashMap<u32, Pair>, out: &mut Out) {
    let messages = &cx.history.messages;
    let mut other = false;
    for message in step.answers.clone().map(|number| messages.get(number)) {
        let row = cx.row(message.row);
        other |= row.has(BlockFlags::CONTENT) && row.role == Role::User;
        for ix in message.blocks() {
            if cx.row(ix).kind != Kind::ToolResult {
                other = true;
            } else if other && let Some(pair) = answered.get(&ix) {
                let finding = Finding::new(RULE.code, *cx.row(pair.call)).variant(LATE);
                out.add(finding.with(cx.row(ix).at).act(Act::Reorder));
            }
        }
    }
}

/// Calls whose id an earlier call of their step has: those are another rule's matter.
fn seconds(cx: &Cx<'_>) -> HashSet<u32> {
    let messages = &cx.history.messages;
    let mut seconds = HashSet::new();
    let mut keys = HashSet::new();
    for step in &messages.steps {
        keys.clear();
        for ix in messages.rows_of(step.model.clone()).filter(|ix| cx.row(*ix).kind == Kind::ToolUse) {
            if !keys.insert(cx.row(ix).key) {
                seconds.insert(ix);
            }
        }
    }
    seconds
}
