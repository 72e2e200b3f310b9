//! RL518: a call's id has a form that the server does not accept.

use crate::history::{BlockFlags, Finding, Kind, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// Finds, for Mistral, calls whose `id` is not nine letters and digits.
    ///
    /// ## Why it matters
    ///
    /// Mistral's own library rejects such a request:
    ///
    /// > Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.
    ///
    /// La Plateforme accepts other ids today, self-hosted servers with Mistral's models often do not. So it is a
    /// warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"mistral-large-latest","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"}]}
    /// ```
    ///
    /// (with `--target mistral`)
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the call and its tool message get an id of nine letters and digits, the same in every
    /// run. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Documented: mistral-common's `validator.py`. 32 recorded requests with other ids were accepted by La
    /// Plateforme.
    CHAT_CALL_ID_FORM, "chat-call-id-form" of "chat", Check::History(check),
    [
        Variant {
            message: "tool call id {call_id} is not nine letters and digits",
            api: Some("Tool call id was {call_id} but must be a-z, A-Z, 0-9, with a length of 9."),
            levels: Levels::WARNING,
            evidence: Evidence::Documented,
            fix: "give the call and its tool message an id of nine letters and digits",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.has(Trait::NineCharIds) {
        return;
    }
    for row in cx.history.rows.iter().filter(|row| row.kind == Kind::ToolUse && row.key != 0) {
        if !row.has(BlockFlags::NINE) {
            out.add(Finding::new(RULE.code, *row).act(RepairAct::Rename));
        }
    }
}
