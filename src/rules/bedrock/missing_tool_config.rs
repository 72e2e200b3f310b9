//! RL588: the history has tool calls, but the request defines no tools.

use std::collections::BTreeSet;

use crate::history::{Finding, Flags, Kind, RepairAct, RequestFlags, Row};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a request with `toolUse` or `toolResult` blocks but without `toolConfig`.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > The toolConfig field must be defined when using toolUse and toolResult content blocks.
    ///
    /// It happens when a history is summarised, titled or continued by a request that needs no tools.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Weather?"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"weather","input":{}}}]},
    ///  {"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"sunny"}]}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A `toolConfig` with the names of the called tools, and without their arguments, is added. The model may call
    /// them again; it is better to send the original definitions.
    ///
    /// ## Evidence
    ///
    /// Reported: elastic/kibana#245064, pentagi PR#196, zot#18, ironclaw#1710.
    BEDROCK_MISSING_TOOL_CONFIG, "bedrock-missing-tool-config" of "bedrock", Check::History(check),
    [
        Variant {
            message: "the history has tool calls, but the request has no toolConfig",
            api: Some("The toolConfig field must be defined when using toolUse and toolResult content blocks."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "add a toolConfig with the called tools",
            ..Variant::BASE
        },
    ]
}

static CONFIG: ValueEdit = ValueEdit::by(define);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.history.settings.facts.has(RequestFlags::NO_TOOLS) {
        return;
    }
    let is_of_tools =
        |row: &&Row| matches!(row.kind, Kind::ToolUse | Kind::ToolResult) && !row.has(Flags::RECORDED);
    let mut blocks = cx.history.rows.iter().filter(is_of_tools);
    let Some(first) = blocks.next() else { return };
    let finding = Finding::new(RULE.code, *first);
    let calls = first.kind == Kind::ToolUse || blocks.any(|row| row.kind == Kind::ToolUse);
    out.add(match calls {
        true => finding.act(RepairAct::EditRequest(&CONFIG)),
        false => finding.never("there is no call that names a tool"),
    });
}

/// Defines the tools that the messages of a request call: only their names, not their arguments.
fn define(body: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let messages = body.get(name::messages).into_iter().flat_map(|messages| messages.elements());
    let blocks = messages.filter_map(|message| message.get(name::content)).flat_map(|content| content.elements());
    let names: BTreeSet<&[u8]> = blocks
        .filter_map(|block| block.at(&["toolUse", "name"]))
        .filter(Val::is_string)
        .map(|name| name.raw())
        .collect();
    let spec = |name: &[u8]| {
        [br#"{"toolSpec":{"name":"#, name, br#","inputSchema":{"json":{"type":"object"}}}}"#].concat()
    };
    let tools: Vec<Vec<u8>> = names.into_iter().map(spec).collect();
    let config = [br#"{"tools":["#.as_slice(), &tools.join(&b","[..]), b"]}"].concat();
    Ok(put_member(body, "toolConfig", &config, base, out)?)
}
