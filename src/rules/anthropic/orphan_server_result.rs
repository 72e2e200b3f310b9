//! RL536: the result of a server-side tool has no call.

use foldhash::HashMap;

use crate::history::{Finding, Kind, RepairAct, Role};
use crate::json::name;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds the result of a server-side tool (`web_search_tool_result`, `mcp_tool_result` and the like) without a
    /// call with its id before it, and a second result of one call.
    ///
    /// ## Why it matters
    ///
    /// The API may reject the request with HTTP 400:
    ///
    /// > unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_abc. Each `advisor_tool_result` block
    /// > must have a corresponding `server_tool_use` block before it.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"user","content":"What is new?"},
    ///  {"role":"assistant","content":[
    ///   {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},
    ///   {"type":"text","text":"Nothing."}]},
    ///  {"role":"user","content":"Thanks"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The result of an advisor is dropped. For other tools that is off by default: `--fix-warnings` drops the result.
    /// It is not turned into text: search results are encrypted, and other text would be attributed to the model.
    ///
    /// ## Evidence
    ///
    /// Reported: anthropics/claude-code#64383, #65726, #80439, #84783, all for `advisor_tool_result`, which is an error.
    /// Recorded: one request with such a result of another tool was accepted by claude-opus-4-8, so that is a warning.
    ANTHROPIC_ORPHAN_SERVER_RESULT, "anthropic-orphan-server-result" of "anthropic" tags [MissingPartner], Check::History(check),
    [
        Variant {
            message: "orphaned {type} {call_id}: no call with this id before it",
            related: "the call is here",
            api: Some(
                "unexpected `tool_use_id` found in `{type}` blocks: {call_id}. Each `{type}` block must have a \
                 corresponding `server_tool_use` block before it.",
            ),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the result",
            ..Variant::BASE
        },
        Variant {
            message: "duplicate result: call {call_id} already has one",
            related: "the first result",
            levels: Levels::WARNING,
            fix: "drop the later result",
            ..Variant::BASE
        },
        Variant {
            message: "orphaned {type} {call_id}: no call with this id before it",
            related: "the call is here",
            api: Some(
                "unexpected `tool_use_id` found in `{type}` blocks: {call_id}. Each `{type}` block must have a \
                 corresponding `server_tool_use` block before it.",
            ),
            evidence: Evidence::Reported,
            fix: "drop the result",
            ..Variant::BASE
        },
    ]
}

const AGAIN: u8 = 1;
const ADVISOR: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let mut calls: HashMap<u64, usize> = HashMap::default();
    let rows = &cx.history.rows;
    let of_model = rows.iter().enumerate().filter(|(_, row)| row.role == Role::Assistant);
    for (ix, row) in of_model.clone().filter(|(_, row)| row.kind == Kind::ServerUse && row.key != 0) {
        calls.entry(row.key).or_insert(ix);
    }
    let mut first: HashMap<u64, usize> = HashMap::default();
    for (ix, row) in of_model.filter(|(_, row)| row.kind == Kind::ServerResult) {
        let finding = Finding::new(RULE.code, *row).act(RepairAct::Drop);
        match (calls.get(&row.key), first.get(&row.key)) {
            (Some(call), Some(&twin)) if *call < ix => {
                out.add(finding.variant(AGAIN).with_partner(rows.get(twin).map(|twin| twin.at)));
            }
            (Some(call), None) if *call < ix => drop(first.insert(row.key, ix)),
            (call, _) => {
                let mut advisor = false;
                cx.text.with_item(row, &mut |block| {
                    advisor = block.get(name::r#type).is_some_and(|kind| kind.is("advisor_tool_result"));
                });
                let variant = if advisor { ADVISOR } else { 0 };
                out.add(
                    finding
                        .variant(variant)
                        .with_partner(call.and_then(|call| rows.get(*call)).map(|call| call.at)),
                );
            }
        }
    }
}
