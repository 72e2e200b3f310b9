//! RL539: a call has no tool name.

use crate::dialect::Item;
use crate::history::{Finding, Kind, KindSet, RepairAct};
use crate::json::name;
use crate::rule::{Check, Evidence, FindingSink, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_use` whose `name` is empty or missing.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.5.content.1.tool_use.name: String should have at least 1 character
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"","input":{}}]},
    ///  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"No such tool"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The call is dropped, and its result with it: the intended tool is not known.
    ///
    /// ## Evidence
    ///
    /// Reported once, in the provider's words.
    ANTHROPIC_TOOL_NAME, "anthropic-tool-name" of "anthropic" tags [Field], Check::Item(KindSet::of(&[Kind::ToolUse]), check),
    [
        Variant {
            message: "tool_use {call_id} has no tool name",
            api: Some("messages.{message}.content.{block}.tool_use.name: String should have at least 1 character"),
            evidence: Evidence::Reported,
            fix: "drop the call and its result",
            ..Variant::BASE
        },
    ]
}

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let is_use = item.val.get(name::r#type).is_some_and(|kind| kind.is("tool_use"));
    let named = item.val.get(name::name).and_then(|name| name.as_str()).is_some_and(|name| !name.is_empty());
    if is_use && !named {
        out.add(Finding::new(RULE.code, item.row).act(RepairAct::Drop));
    }
}
