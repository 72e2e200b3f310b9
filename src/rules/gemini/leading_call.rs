//! RL562: a call comes before the first user message.

use crate::history::{Finding, Flags, Kind, MessageSpan, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `functionCall` in a model turn that comes before the first user message.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Please ensure that function call turn comes immediately after a user turn or after a function response turn.
    ///
    /// It happens when a history is shortened from the front and cut in the middle of a turn.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"model","parts":[{"functionCall":{"name":"weather","args":{}}}]},
    ///  {"role":"user","parts":[{"functionResponse":{"name":"weather","response":{"output":"sunny"}}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The calls are dropped, with their responses: the user message that led to them is missing. To keep them, restore
    /// it.
    ///
    /// ## Evidence
    ///
    /// Reported: google-gemini/gemini-cli#26486, #11814, #26956.
    GEMINI_LEADING_CALL, "gemini-leading-call" of "gemini", Check::History(check),
    [
        Variant {
            message: "functionCall⟨ {name}⟩ before the first user message",
            api: Some("Please ensure that function call turn comes immediately after a user turn or after a function response turn."),
            also: &["Please ensure that function call turns come immediately after a user turn or after a function response turn."],
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "drop the call",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for row in cx.history.rows.iter().take(first_user_row(cx) as usize) {
        if row.kind == Kind::ToolUse && !row.has(Flags::RECORDED) {
            out.add(Finding::new(RULE.code, *row).act(RepairAct::Drop));
        }
    }
}

/// The row of the first user message, if the model begins with a call; else 0. Once that call is removed, later calls
/// before that message are the first in their turn.
pub(super) fn first_user_row(cx: &RuleContext<'_>) -> u32 {
    let messages = &cx.history.messages;
    let is_call = |ix: u32| cx.row(ix).kind == Kind::ToolUse;
    let first = messages.steps.first().filter(|step| step.model.start == 0);
    let recorded = cx.history.rows.first().is_none_or(|row| row.has(Flags::RECORDED));
    if recorded || !first.is_some_and(|step| messages.rows_of(step.model.clone()).any(is_call)) {
        return 0;
    }
    let says = |message: &&MessageSpan| {
        message.role != Role::Assistant && message.blocks().any(|ix| cx.row(ix).kind != Kind::ToolResult)
    };
    messages.list.iter().find(says).map_or(cx.history.rows.len() as u32, |message| message.row)
}
