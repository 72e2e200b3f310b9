//! RL542: thinking comes after other blocks of its turn.

use crate::history::{Act, BlockFlags, Finding, Kind, Step};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
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
    /// Thinking after a `tool_use` of the same message means that a client has put several responses into one message. What
    /// is known of that: the signatures were made for other messages, and the API was reported to reject such histories with
    ///
    /// > messages.3.content.4: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.
    /// > These blocks must remain as they were in the original response.
    ///
    /// though nobody has shown that every model does. It is a warning.
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
    /// Off by default: `--fix-warnings` drops the thinking that is out of place, `--reasoning strip` drops all thinking,
    /// which is what helps where a signature is rejected. It is not moved to the front: newer models bind it to what
    /// came before it.
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
            message: "{type} comes after a tool_use of the same message, so the message holds several responses; their \
                      signatures may no longer be valid (use --reasoning strip to remove all thinking)",
            related: "the tool_use",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the thinking",
            ..Variant::BASE
        },
    ]
}

const SEVERAL: u8 = 1;

fn check(cx: &Cx<'_>, out: &mut Out) {
    let messages = &cx.history.messages;
    // The lines of a session are told apart by the response that they are of, and judged one by one (RL661).
    let is_of_lines = |step: &&Step| step.model.clone().any(|number| cx.row(messages.get(number).row).id != 0);
    for step in messages.steps.iter().filter(|step| !is_of_lines(step)) {
        // A text that is all of a message's content has no row of its own.
        let texts = step.model.clone().map(|message| messages.get(message).row);
        let said = texts.filter(|ix| cx.row(*ix).has(BlockFlags::CONTENT));
        let first = said.chain(messages.rows_of(step.model.clone())).min();
        let Some(first) = first.filter(|ix| cx.row(*ix).kind != Kind::Thinking) else {
            of_several(cx, step, out);
            continue;
        };
        for ix in messages.rows_of(step.model.clone()).filter(|ix| cx.row(*ix).kind == Kind::Thinking) {
            let finding = Finding::new(RULE.code, *cx.row(ix));
            out.add(finding.with(cx.row(first).at).act(Act::Drop));
        }
    }
}

/// Thinking after a call: one message that was put together from several responses.
fn of_several(cx: &Cx<'_>, step: &Step, out: &mut Out) {
    let rows = || cx.history.messages.rows_of(step.model.clone());
    let Some(call) = rows().find(|ix| cx.row(*ix).kind == Kind::ToolUse) else { return };
    for ix in rows().filter(|ix| *ix > call && cx.row(*ix).kind == Kind::Thinking) {
        let finding = Finding::new(RULE.code, *cx.row(ix)).variant(SEVERAL);
        out.add(finding.with(cx.row(call).at).act(Act::Drop));
    }
}
