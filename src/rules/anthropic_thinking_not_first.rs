//! RL542: thinking stands behind other blocks of its turn.

use crate::history::{Act, BlockFlags, Finding, Kind};
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
    /// Off by default: `--fix-warnings` drops the thinking. It is not moved to the front: newer models bind it to what
    /// came before it.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#20705 and others. Recorded: one request with thinking between calls of server
    /// tools was accepted, so it is a warning.
    542, "anthropic-thinking-not-first" of "anthropic", Check::History(check),
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
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    let messages = &cx.history.messages;
    for step in &messages.steps {
        // A text that is all of a message's content has no row of its own.
        let texts = step.model.clone().map(|number| messages.get(number).row);
        let said = texts.filter(|ix| cx.row(*ix).has(BlockFlags::CONTENT));
        let first = said.chain(messages.rows_of(step.model.clone())).min();
        let Some(first) = first.filter(|ix| cx.row(*ix).kind != Kind::Thinking) else { continue };
        for ix in messages.rows_of(step.model.clone()).filter(|ix| cx.row(*ix).kind == Kind::Thinking) {
            let finding = Finding::new(RULE.code, *cx.row(ix));
            out.add(finding.with(cx.row(first).at).act(Act::Drop));
        }
    }
}
