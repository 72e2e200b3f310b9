//! RL537: the id of a call is missing or has characters that are not allowed.

use crate::dialect::Item;
use crate::history::{Finding, KEYLESS, Kind, KindSet, RepairAct};
use crate::json::name;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_use` whose id has characters other than letters, digits, `_` and `-`, and calls and results
    /// without an id.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'
    ///
    /// > messages.2.content.0.tool_result.tool_use_id: Field required
    ///
    /// It happens with histories that began with another provider, whose ids look like `functions.f:0`.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"functions.f:0","name":"f","input":{}}]},
    ///  {"role":"user","content":[{"type":"tool_result","tool_use_id":"functions.f:0","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Call and result get the same new id, derived from the old one, and nothing is lost. A block without an id is
    /// dropped, because it cannot be paired.
    ///
    /// ## Evidence
    ///
    /// Reported: langchain-ai/langchain PR#37756; the missing field comes from a live probe.
    ANTHROPIC_TOOL_ID, "anthropic-tool-id" of "anthropic" tags [Field], Check::Item(KindSet::of(&[Kind::ToolUse, Kind::ToolResult]), check),
    [
        Variant {
            message: "the id of tool_use {call_id} has characters that are not allowed",
            api: Some("messages.{message}.content.{block}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
            also: &["messages.{message}.content.{block}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"],
            evidence: Evidence::Reported,
            fix: "give the call and its result a valid id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{type} has no id",
            evidence: Evidence::Documented,
            fix: "give the call and its result the same new id, or drop the block",
            ..Variant::BASE
        },
        Variant {
            message: "{type} has no tool_use_id",
            api: Some("messages.{message}.content.{block}.tool_result.tool_use_id: Field required"),
            evidence: Evidence::Reported,
            fix: "give the call and its result the same new id, or drop the block",
            ..Variant::BASE
        },
    ]
}

const MISSING: u8 = 1;
const RESULT_WITHOUT: u8 = 2;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let finding = Finding::new(RULE.code, item.row);
    let Some(key) = item.key else {
        let is_absent = item.row.kind == Kind::ToolResult && item.val.get(name::tool_use_id).is_none();
        return out.add(finding.variant(if is_absent { RESULT_WITHOUT } else { MISSING }).remedy(KEYLESS));
    };
    let allowed = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if item.row.kind == Kind::ToolUse && !key.decode().iter().all(allowed) {
        out.add(finding.act(RepairAct::Rename));
    }
}
