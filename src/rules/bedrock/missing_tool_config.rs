//! RL588: tools were called, and the request defines none.

use std::collections::BTreeSet;

use crate::history::{Act, Facts, Finding, Flags, Kind, Row};
use crate::json::edit::Base;
use crate::json::mend::{Cannot, Mend, put_member};
use crate::json::{Val, name};
use crate::place::Edit;
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Answer;

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
    /// It happens when a history is summed up, titled or continued by a request that needs no tools.
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
    /// Reported: elastic/kibana#245064, pentagi PR#196, zot#18, ironclaw#1710. None of 21 recorded accepted requests lacks it.
    BEDROCK_MISSING_TOOL_CONFIG, "bedrock-missing-tool-config" of "bedrock", Check::History(check),
    [
        Variant {
            message: "the history has tool calls, but the request has no toolConfig",
            api: Some("The toolConfig field must be defined when using toolUse and toolResult content blocks."),
            answer: Answer::AWS,
            evidence: Evidence::Reported,
            fix: "add a toolConfig with the called tools",
            ..Variant::BASE
        },
    ]
}

static CONFIG: Mend = Mend::by(define);

fn check(cx: &Cx<'_>, out: &mut Out) {
    if !cx.history.settings.facts.has(Facts::NO_TOOLS) {
        return;
    }
    let is_of_tools =
        |row: &&Row| matches!(row.kind, Kind::ToolUse | Kind::ToolResult) && !row.has(Flags::RECORDED);
    let mut blocks = cx.history.rows.iter().filter(is_of_tools);
    let Some(first) = blocks.next() else { return };
    let finding = Finding::new(RULE.code, *first);
    let calls = first.kind == Kind::ToolUse || blocks.any(|row| row.kind == Kind::ToolUse);
    out.add(match calls {
        true => finding.act(Act::Request(&CONFIG)),
        false => finding.never("there is no call that names a tool"),
    });
}

/// Defines the tools that a request's messages call: their names, and nothing about their arguments.
fn define(body: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
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
