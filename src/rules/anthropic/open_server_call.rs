//! RL535: the call of a server-side tool has no result.

use foldhash::HashMap;

use crate::history::{Finding, Kind, RepairAct, Role};
use crate::json::name;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `server_tool_use` or `mcp_tool_use` block without a result after it, and one with the id of an
    /// earlier call.
    ///
    /// ## Why it matters
    ///
    /// The API may reject the request with HTTP 400:
    ///
    /// > `web_search` tool use with id `srvtoolu_abc` was found without a corresponding `web_search_tool_result` block
    ///
    /// A pending call is accepted: a turn that the API paused is sent back as it is, and the result may come after the
    /// results of the client's own tools.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"user","content":"What is new?"},
    ///  {"role":"assistant","content":[
    ///   {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"news"}},
    ///   {"type":"text","text":"Let me see."}]},
    ///  {"role":"user","content":"And?"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Off by default: `--proven RL535` drops the call, and its message with it if that is empty then.
    ///
    /// ## Evidence
    ///
    /// Reported: can1357/oh-my-pi#6496, LibreChat agents PR#216; Anthropic's page on stop reasons. Recorded: seven requests
    /// with such a call were accepted, so it is a note (shown with `-v`), and an error with `--proven RL535`.
    ANTHROPIC_OPEN_SERVER_CALL, "anthropic-open-server-call" of "anthropic", Check::History(check),
    [
        Variant {
            message: "server_tool_use {call_id} has no result after it",
            api: Some(
                "`{name}` tool use with id `{call_id}` was found without a corresponding `{name}_tool_result` block",
            ),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the call",
            ..Variant::BASE
        },
        Variant {
            message: "mcp_tool_use {call_id} has no result after it",
            levels: Levels::WARNING,
            fix: "drop the call",
            ..Variant::BASE
        },
        Variant {
            message: "duplicate id: {type} {call_id} has the id of an earlier call",
            related: "the first call with this id",
            levels: Levels::WARNING,
            fix: "drop the call",
            ..Variant::BASE
        },
    ]
}

const MCP: u8 = 1;
const AGAIN: u8 = 2;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let rows = &cx.history.rows;
    let mut last_result: HashMap<u64, usize> = HashMap::default();
    for (ix, row) in rows.iter().enumerate() {
        if row.kind == Kind::ServerResult && row.role == Role::Assistant {
            last_result.insert(row.key, ix);
        }
    }
    let mut first: HashMap<u64, usize> = HashMap::default();
    for (ix, row) in rows.iter().enumerate() {
        if row.kind != Kind::ServerUse || row.role != Role::Assistant {
            continue;
        }
        let finding = Finding::new(RULE.code, *row).act(RepairAct::Drop);
        if let Some(&twin) = first.get(&row.key).filter(|_| row.key != 0) {
            out.add(finding.variant(AGAIN).with_partner(rows.get(twin).map(|twin| twin.at)));
            continue;
        }
        first.insert(row.key, ix);
        let answered = row.key != 0 && last_result.get(&row.key).is_some_and(|result| *result > ix);
        if !answered && !cx.is_pending(ix as u32) {
            let mut is_mcp = false;
            cx.text.with_item(row, &mut |call| {
                is_mcp = call.get(name::r#type).is_some_and(|kind| kind.is("mcp_tool_use"))
            });
            out.add(finding.variant(if is_mcp { MCP } else { 0 }));
        }
    }
}
