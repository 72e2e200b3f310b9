//! RL559: a result refers to a tool that the request does not define.

use foldhash::HashSet;

use crate::history::{BlockFlags, Finding, Kind};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit};
use crate::json::{Val, name, string};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `tool_reference` block, in the result of a tool search, that names a tool missing from the request's
    /// `tools`. Requests with MCP servers are skipped: their tools are not in the file.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Tool reference 'mcp_computer_use_drag' not found in available tools
    ///
    /// It happens when a session is resumed without an MCP server, a plugin or a setting that it had before, or by
    /// an agent with fewer tools.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-opus-4-8","max_tokens":64,"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[
    ///  {"role":"user","content":"Look it up."},
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},
    ///  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1",
    ///   "content":[{"type":"tool_reference","tool_name":"gone"}]}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The references of that result become text blocks that name the tools, so that the model still sees what the
    /// search found; deferred tools are no longer loaded by it. The result of a server-side search is not changed. To
    /// keep the references, define the tool again, with `"defer_loading": true`.
    ///
    /// ## Evidence
    ///
    /// Reported: code-yeongyu/senpi#437. Documented: each tool that a reference names must have a definition in
    /// `tools`.
    ANTHROPIC_UNDEFINED_REFERENCE, "anthropic-undefined-reference" of "anthropic", Check::History(check),
    [
        Variant {
            message: "the result for {call_id} refers to a tool that the request does not define",
            api: Some("Tool reference⟨ '{name}'⟩ not found in available tools"),
            evidence: Evidence::Reported,
            fix: "turn the references into text",
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(to_text).at(&["content"]);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(tools) = cx.history.settings.tools else { return };
    let mut results = cx.history.rows.iter().filter(|row| row.has(BlockFlags::REFERS)).peekable();
    if results.peek().is_none() {
        return;
    }
    let mut defined: HashSet<Vec<u8>> = HashSet::default();
    cx.text.with_value(tools, &mut |list| {
        defined
            .extend(list.elements().filter_map(|tool| tool.get(name::name)?.text()).map(|name| name.into_owned()));
    });
    for row in results.filter(|row| matches!(row.kind, Kind::ToolResult | Kind::ServerResult)) {
        let mut missing = false;
        cx.text.with_item(row, &mut |result| {
            missing = references(result).filter_map(name).any(|name| !defined.contains(&name));
        });
        let finding = Finding::new(RULE.code, *row);
        match row.kind {
            _ if !missing => {}
            Kind::ToolResult => out.add(finding.edit_value(&MEND)),
            _ => out.add(finding.never("the provider wrote the result; define the tool again instead")),
        }
    }
}

/// The references in a result: in its content for a client's search, in their own list for a server-side one.
fn references<'t>(result: Val<'t>) -> impl Iterator<Item = Val<'t>> {
    let content = result.get(name::content);
    let own = content.and_then(|content| content.get(name::tool_references));
    let list = content.filter(Val::is_array).or(own);
    list.into_iter().flat_map(|list| list.elements()).filter(|block| is_reference(*block))
}

fn is_reference(block: Val<'_>) -> bool {
    block.get(name::r#type).is_some_and(|kind| kind.is("tool_reference"))
}

fn name(reference: Val<'_>) -> Option<Vec<u8>> {
    reference.get(name::tool_name).and_then(|name| name.text()).map(|name| name.into_owned())
}

fn to_text(content: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    for reference in content.elements().filter(|block| is_reference(*block)) {
        let name = name(reference).unwrap_or_default();
        let text = string::quoted(&format!("tool found: {}", String::from_utf8_lossy(&name)));
        let text = format!(r#"{{"type":"text","text":{}}}"#, String::from_utf8_lossy(&text));
        out.push(Edit::replace(base.of(reference), text.into_bytes()));
    }
    Ok(())
}
