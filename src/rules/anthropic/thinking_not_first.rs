//! RL542: thinking comes after other blocks of its turn.

use crate::history::{BlockFlags, Finding, Kind, ModelStep, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds an assistant turn that contains thinking but does not begin with it.
    ///
    /// ## Why it matters
    ///
    /// Older models reject the request with HTTP 400:
    ///
    /// > messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or
    /// > `redacted_thinking`. Found `text`.
    ///
    /// It happens when a client sorts the blocks of a message by their kind.
    ///
    /// Thinking after a `tool_use` of the same message means that a client merged several responses into one message.
    /// The signatures were made for other messages, and the API was reported to reject such histories with
    ///
    /// > messages.3.content.4: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.
    /// > These blocks must remain as they were in the original response.
    ///
    /// It is not known that every model does so, hence a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"user","content":"hi"},
    ///  {"role":"assistant","content":[
    ///   {"type":"text","text":"Hello"},
    ///   {"type":"thinking","thinking":"A greeting.","signature":"EqQB"}]},
    ///  {"role":"user","content":"bye"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Off by default: `--fix-warnings` drops the misplaced thinking, `--reasoning strip` drops all thinking, which
    /// helps if a signature is rejected. It is not moved to the front: newer models bind it to the content before it.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#20705 and others; several responses in one message: elidickinson/pi-claude-bridge#104,
    /// OpenRyoko#13. Recorded: one request with thinking between calls of server
    /// tools was accepted, so it is a warning.
    ANTHROPIC_THINKING_NOT_FIRST, "anthropic-thinking-not-first" of "anthropic", Check::History(check),
    [
        Variant {
            message: "{type} is not at the start of its turn",
            related: "the turn begins here",
            api: Some(
                "⟨messages.{message}.content.0: ⟩If an assistant message contains any thinking blocks, the first block must \
                 be `thinking` or `redacted_thinking`. Found `{partner_type}`.",
            ),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
        Variant {
            message: "{type} comes after a tool_use of the same message, so the message contains several responses; their signatures may no longer be valid (use --reasoning strip to remove all thinking)",
            related: "the tool_use",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
    ]
}

const SEVERAL: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    // The lines of a session have the id of their response, and are judged one by one (RL661).
    let is_of_lines =
        |step: &&ModelStep| step.model.clone().any(|number| cx.row(messages.get(number).row).id != 0);
    for step in messages.steps.iter().filter(|step| !is_of_lines(step)) {
        // A string as the content of a message has no row.
        let texts = step.model.clone().map(|message| messages.get(message).row);
        let said = texts.filter(|ix| cx.row(*ix).has(BlockFlags::CONTENT));
        let first = said.chain(messages.rows_of(step.model.clone())).min();
        let Some(first) = first.filter(|ix| cx.row(*ix).kind != Kind::Thinking) else {
            report_merged_responses(cx, step, out);
            continue;
        };
        for ix in messages.rows_of(step.model.clone()).filter(|ix| cx.row(*ix).kind == Kind::Thinking) {
            let finding = Finding::new(RULE.code, *cx.row(ix));
            out.add(finding.with_partner(cx.row(first).at).act(RepairAct::Drop));
        }
    }
}

/// Reports thinking after a call: the message was merged from several responses.
fn report_merged_responses(cx: &RuleContext<'_>, step: &ModelStep, out: &mut FindingSink) {
    let rows = || cx.history.messages.rows_of(step.model.clone());
    let Some(call) = rows().find(|ix| cx.row(*ix).kind == Kind::ToolUse) else { return };
    for ix in rows().filter(|ix| *ix > call && cx.row(*ix).kind == Kind::Thinking) {
        let finding = Finding::new(RULE.code, *cx.row(ix)).variant(SEVERAL);
        out.add(finding.with_partner(cx.row(call).at).act(RepairAct::Drop));
    }
}
