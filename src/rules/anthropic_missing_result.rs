//! RL530: a `tool_use` is not answered at the front of the next user message.

use std::collections::{HashMap, HashSet};

use crate::history::{Act, Bond, BondState, Finding, Flags, Kind, Role, Step};
use crate::rule::{self, Check, Cx, Evidence, Loss, Out, Variant};
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
    /// A result that is elsewhere is moved to its place, and nothing is lost. Otherwise the call is dropped, and its
    /// message with it if only thinking is left of it; with `--orphans stub` the call gets a placeholder result
    /// with `is_error` instead.
    ///
    /// ## Evidence
    ///
    /// Reported: kilocode#5163, anthropics/claude-code#1237, #2697, #5060, OpenHands#7512. Documented: "Tool result blocks
    /// must immediately follow their corresponding tool use blocks", results first, any text after all of them. No
    /// recorded accepted request has such a call.
    530, "anthropic-missing-result" of "anthropic" about [MissingPartner], Check::History(check),
    [
        Variant {
            message: "tool_use {call_id} has no tool_result in the next message",
            api: Some(API),
            also: &["messages.{message}: Did not find {arg} `tool_result` block(s) at the beginning of this message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks."],
            evidence: Evidence::Reported,
            fix: "drop the call (use --orphans stub to add a placeholder output instead)",
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
    ]
}

const API: &str = "messages.{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {call_id}. \
                   Each `tool_use` block must have a corresponding `tool_result` block in the next message.";

const FAR: u8 = 1;
const LATE: u8 = 2;
const PENDING: u8 = 3;

fn check(cx: &Cx<'_>, out: &mut Out) {
    let turns = &cx.history.turns;
    let answered: HashMap<u32, Bond> = turns
        .bonds
        .iter()
        .filter(|bond| bond.state == BondState::Answered)
        .map(|bond| (bond.output, *bond))
        .collect();
    for step in &turns.steps {
        late(cx, step, &answered, out);
    }
    let seconds = seconds(cx);
    for bond in &turns.bonds {
        let finding = |ix: u32| Finding::new(RULE.code, *cx.row(ix));
        match bond.state {
            BondState::Open if seconds.contains(&bond.call) => {}
            BondState::Open if cx.is_pending(bond.call) => {
                out.add(finding(bond.call).variant(PENDING).never(rule::ABOUT_TO_RUN));
            }
            BondState::Open => out.add(finding(bond.call).act(Act::Answer)),
            BondState::Far => {
                let partner = cx.row(bond.output).at;
                out.add(finding(bond.call).variant(FAR).with(partner).act(Act::Reorder));
            }
            BondState::Answered | BondState::Orphan | BondState::Again => {}
        }
    }
}

/// Results of a step that come after other content of the user.
fn late(cx: &Cx<'_>, step: &Step, answered: &HashMap<u32, Bond>, out: &mut Out) {
    let turns = &cx.history.turns;
    let mut other = false;
    for turn in step.answers.clone().map(|turn| turns.turn(turn)) {
        let message = cx.row(turn.row);
        other |= message.has(Flags::CONTENT) && message.role == Role::User;
        for ix in turn.blocks() {
            if cx.row(ix).kind != Kind::ToolResult {
                other = true;
            } else if other && let Some(bond) = answered.get(&ix) {
                let finding = Finding::new(RULE.code, *cx.row(bond.call)).variant(LATE);
                out.add(finding.with(cx.row(ix).at).act(Act::Reorder));
            }
        }
    }
}

/// Calls whose id an earlier call of their step has: those are another rule's matter.
fn seconds(cx: &Cx<'_>) -> HashSet<u32> {
    let turns = &cx.history.turns;
    let mut seconds = HashSet::new();
    let mut keys = HashSet::new();
    for step in &turns.steps {
        keys.clear();
        for ix in turns.rows_of(step.model.clone()).filter(|ix| cx.row(*ix).kind == Kind::ToolUse) {
            if !keys.insert(cx.row(ix).key) {
                seconds.insert(ix);
            }
        }
    }
    seconds
}
