//! RL540: a request with calls in its history defines no tools.

use crate::history::{Finding, Kind, RequestFlags};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Describes a request whose messages contain calls or results but which defines no `tools`. It is accepted, so
    /// it is not reported; the page is for those who still get the error below.
    ///
    /// ## Why it matters
    ///
    /// The API may reject the request with HTTP 400:
    ///
    /// > Requests which include `tool_use` or `tool_result` blocks must define tools.
    ///
    /// It happens when a history is sent without its tools, to be summarised or titled.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
    ///  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the tool definitions are not in the history. Send them, with `tool_choice` none if the tools should not be
    /// called.
    ///
    /// ## Evidence
    ///
    /// Reported in eight threads and in Portkey's library of errors, mostly of gateways. 32 recorded requests up to July
    /// 2026 are like this and were accepted, so it is not reported.
    ANTHROPIC_UNDEFINED_TOOLS, "anthropic-undefined-tools" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the messages contain {type} blocks, but the request defines no tools",
            api: Some("Requests which include `tool_use` or `tool_result` blocks must define tools."),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.history.settings.facts.has(RequestFlags::NO_TOOLS) {
        return;
    }
    let mut rows = cx.history.rows.iter();
    if let Some(row) = rows.find(|row| matches!(row.kind, Kind::ToolUse | Kind::ToolResult)) {
        out.add(Finding::new(RULE.code, *row).never("the tool definitions are not in the history"));
    }
}
