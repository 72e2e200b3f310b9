//! RL588: tools were called, and the request defines none.

use crate::dialects::bedrock::Mend;
use crate::history::{Act, Code, Facts, Finding, Flags, Kind, Row};
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
    588, "bedrock-missing-tool-config", Check::History(check),
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

fn check(cx: &Cx<'_>, out: &mut Out) {
    if !cx.history.settings.facts.has(Facts::NO_TOOLS) {
        return;
    }
    let is_of_tools = |row: &&Row| matches!(row.kind, Kind::ToolUse | Kind::ToolResult) && !row.has(Flags::RECORDED);
    let mut blocks = cx.history.rows.iter().filter(is_of_tools);
    let Some(first) = blocks.next() else { return };
    let finding = Finding::new(Code(588), *first);
    let calls = first.kind == Kind::ToolUse || blocks.any(|row| row.kind == Kind::ToolUse);
    let Act::Field(config) = Mend::ToolConfig.act() else { return };
    out.add(match calls {
        true => finding.act(Act::Request(config)),
        false => finding.never("there is no call that names a tool"),
    });
}
