//! RL101: a call has no output.

use foldhash::HashSet;

use crate::history::{ANSWER, Family, Finding, NONE, Pair, PairState, RepairAct, Role, Row};
use crate::rule::{self, Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call that the client has to answer (function, custom tool, shell, local shell, apply patch,
    /// computer, client-side tool search) but that has no output in the history. Calls and outputs are paired by
    /// `call_id`. A tool search that the server ran needs no output.
    ///
    /// ## Why it matters
    ///
    /// Every provider rejects the history. OpenAI answers HTTP 400:
    ///
    /// > No tool output found for function call call_abc.
    ///
    /// and likewise "… for custom tool call", "… for local shell call", "… for shell call", "… for apply patch call",
    /// "… for tool search call", "… for computer call"; DeepSeek says "No tool output found for tool call call_abc.".
    /// It happens when a run is interrupted, a history is cut between call and output, or a crash loses the result.
    ///
    /// Where a log says that the turn was aborted (Codex's `turn_aborted`, Kode's "[Request interrupted by user]"), the
    /// message says so.
    ///
    /// At the end of a log the call is still pending and only a note (shown with `-v`).
    ///
    /// A reference to a call (`fc_…`) does not show its `call_id`, but each needs an output: if fewer unpaired outputs
    /// follow than there are references, it is a warning. With `previous_response_id` or `conversation` the server may
    /// have the outputs.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"role":"user","content":"What is the weather in Paris?"},
    ///  {"type":"function_call","call_id":"call_1","name":"get_weather","arguments":"{}"},
    ///  {"role":"user","content":"Are you there?"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// If the output is elsewhere, it is moved to after the calls. Otherwise a placeholder output is added, and nothing
    /// is lost. A computer call or a patch cannot be answered with text, and is dropped; with `--orphans drop` every
    /// such call is. The rest of its group keeps its ids if the item that followed the reasoning remains, and loses
    /// them otherwise, so that the server does not look for the removed item. A `program` without its output is only a
    /// warning: one was accepted. References are not repaired: no output can be created for a call whose `call_id` is
    /// not known.
    ///
    /// ## Evidence
    ///
    /// Reported: Azure/azure-sdk#46092, langchain-ai/deepagents#5777, CopilotKit/CopilotKit#6781, agno-agi/agno#9376
    /// (function calls); Soju06/codex-lb#1168 (custom); openai/openai-agents-python#1855 (local shell), #2664 (shell).
    /// Recorded: DeepSeek. No recorded accepted request has such a call; all 22 with references to calls have as many
    /// outputs as references. That the server rejects fewer is inferred.
    MISSING_OUTPUT, "missing-output" of "responses" tags [MissingPartner], Check::History(check),
    [
        Variant {
            message: "{type} {call_id} has no output",
            api: Some("No tool output found for {noun} {call_id}."),
            evidence: Evidence::Reported,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "program {call_id} has no program_output",
            levels: Levels::WARNING,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} is still pending at the end of the log",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{partner_type} {partner_call_id} of the previous response has no output in this request",
            related: "the unanswered call",
            api: Some("No tool output found for {partner_noun} {partner_call_id}."),
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} has no output (the turn was aborted)",
            api: Some("No tool output found for {noun} {call_id}."),
            evidence: Evidence::Reported,
            fix: "add a placeholder output",
            loss: Loss::Adds,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} has no output (the turn was aborted at the end of the log)",
            levels: Levels::INFO,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "the referenced call {id} has no output: fewer outputs than references to calls follow",
            levels: Levels::STORED_WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} has no output",
            api: Some("No tool output found for {noun} {call_id}."),
            evidence: Evidence::Reported,
            fix: "drop the call (its output cannot be invented)",
            ..Variant::BASE
        },
    ]
}

const PROGRAM: u8 = 1;
const PENDING: u8 = 2;
const ANCHORED: u8 = 3;
pub const ABORTED: u8 = 4;
const ABORTED_LAST: u8 = 5;
const REFERENCED: u8 = 6;
/// Its output cannot be a mere text.
const UNANSWERABLE: u8 = 7;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let aborted = AbortedTurn::of(cx);
    for pair in cx.history.pairs.iter().filter(|pair| pair.state == PairState::Open) {
        report_open_call(cx, pair, &aborted, out);
    }
    report_open_calls_of_anchor(cx, out);
    report_references(cx, out);
}

fn report_open_call(cx: &RuleContext<'_>, pair: &Pair, aborted: &AbortedTurn, out: &mut FindingSink) {
    let row = *cx.row(pair.call);
    let finding = Finding::new(RULE.code, row);
    match row.kind.family() {
        // Approvals have their own rule (RL107).
        Some(Family::Approval) | None => {}
        Some(Family::Program) => {
            out.add(finding.variant(PROGRAM).never("only the server knows what the program printed"));
        }
        _ if !cx.is_pending(pair.call) && !row.kind.is_answered_by_text() => {
            out.add(finding.variant(UNANSWERABLE).act(RepairAct::Drop));
        }
        _ if aborted.covers(&row) => match cx.is_pending(pair.call) {
            true => out.add(finding.variant(ABORTED_LAST).never(rule::TURN_NOT_CONTINUED)),
            false => out.add(finding.variant(ABORTED).remedy(ANSWER)),
        },
        _ if cx.is_pending(pair.call) => out.add(finding.variant(PENDING).never(rule::CALL_PENDING)),
        _ => out.add(finding.remedy(ANSWER)),
    }
}

/// Offsets at which the log says that a turn was aborted, and of the user's messages, both sorted.
struct AbortedTurn {
    ends: Vec<u64>,
    users: Vec<u64>,
}

impl AbortedTurn {
    fn of(cx: &RuleContext<'_>) -> Self {
        let mut ends = cx.history.settings.aborted.clone();
        let rows = cx.history.rows.iter().filter(|row| row.role == Role::User && !ends.is_empty());
        let mut users: Vec<u64> = rows.map(|row| row.at.start).collect();
        ends.sort_unstable();
        users.sort_unstable();
        AbortedTurn { ends, users }
    }

    /// True if the turn of a call was aborted before the next message of the user.
    fn covers(&self, call: &Row) -> bool {
        let next = |of: &[u64]| of.get(of.partition_point(|at| *at <= call.at.start)).copied();
        next(&self.ends).is_some_and(|end| next(&self.users).is_none_or(|user| user >= end))
    }
}

/// Reports open calls of the response that the request builds on, if the file contains that response.
fn report_open_calls_of_anchor(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(previous) = cx.history.settings.previous else { return };
    let Some(response) = cx.stored_items.response(previous.id).filter(|response| !response.open.is_empty()) else {
        return;
    };
    let outputs = cx.history.rows.iter().filter(|row| row.kind.is_output());
    let answered: HashSet<u64> = outputs.map(|row| row.key).collect();
    for call in response.open.iter().filter(|call| !answered.contains(&call.key)) {
        let finding = cx.request_finding(RULE.code, previous.at).variant(ANCHORED).with_partner(call.at);
        out.add(finding.never("its real output must be sent with this request"));
    }
}

/// Reports references to calls for which no output remains. Where the server stores nothing, the reference itself is
/// wrong (RL303).
fn report_references(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.stored || cx.has_server_state() {
        return;
    }
    for claim in cx.history.call_patterns.references.iter().filter(|claim| claim.output == NONE) {
        let row = *cx.row(claim.reference);
        // The server may have run a search or a program, which a reference does not show.
        let by_server = matches!(row.item_kind.family(), Some(Family::ToolSearch | Family::Program));
        if !by_server && !cx.is_pending(claim.reference) {
            let finding = Finding::new(RULE.code, row).variant(REFERENCED);
            out.add(finding.never("the call_id of the referenced call is not known"));
        }
    }
}
