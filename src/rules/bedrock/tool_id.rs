//! RL583: the id of a call is not valid.

use crate::dialect::Item;
use crate::history::kind::ID_LIMIT;
use crate::history::{Finding, Flags, KEYLESS, Kind, KindSet, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `toolUse` whose `toolUseId` is longer than 64 characters or has characters other than letters,
    /// digits and `_.:-`; and calls and results without an id.
    ///
    /// ## Why it matters
    ///
    /// The API reference documents this pattern and this length, and the service rejects other ids before the model
    /// sees them. It happens with histories that began with another provider.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Weather?"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"call|1","name":"weather","input":{}}}]},
    ///  {"role":"user","content":[{"toolResult":{"toolUseId":"call|1","content":[{"text":"sunny"}]}}]}],
    ///  "toolConfig":{"tools":[{"toolSpec":{"name":"weather","inputSchema":{"json":{"type":"object"}}}}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// Call and result get the same new id, derived from the old one, and nothing is lost. A block without an id is
    /// dropped, because it cannot be paired.
    ///
    /// ## Evidence
    ///
    /// Documented: AWS API reference, ToolUseBlock and ToolResultBlock (an older version allows no `.` and no `:`);
    /// run-llama/llama_index PR#22775, maximhq/bifrost PR#6300. All ids in recorded accepted requests are valid.
    BEDROCK_TOOL_ID, "bedrock-tool-id" of "bedrock" tags [Field], Check::Item(KindSet::of(&[Kind::ToolUse, Kind::ToolResult]), check),
    [
        Variant {
            message: "the id of toolUse {call_id} is too long or has characters that are not allowed",
            error: ErrorDetails::AWS,
            evidence: Evidence::Documented,
            fix: "give the call and its result a valid id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the {type} has no toolUseId",
            error: ErrorDetails::AWS,
            evidence: Evidence::Documented,
            fix: "give the call and its result the same new id, or drop the block",
            ..Variant::BASE
        },
    ]
}

const MISSING: u8 = 1;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    if item.row.has(Flags::RECORDED) {
        return;
    }
    let finding = Finding::new(RULE.code, item.row);
    let Some(key) = item.key.map(|key| key.decode()) else {
        return out.add(finding.variant(MISSING).remedy(KEYLESS));
    };
    let allowed = |b: &u8| b.is_ascii_alphanumeric() || b"_.:-".contains(b);
    if item.row.kind == Kind::ToolUse && !(key.len() <= ID_LIMIT && key.iter().all(allowed)) {
        out.add(finding.act(RepairAct::Rename));
    }
}
