//! RL589: a result is an error, and says nothing.

use crate::dialect::Item;
use crate::dialects::bedrock::tool_result;
use crate::history::{Finding, Flags, Kind, KindSet};
use crate::json::mend::Mend;
use crate::json::name;
use crate::rule::{Check, Evidence, Loss, Out, Variant};
use crate::target::Answer;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `toolResult` with the status `error` but without any content.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > The content field at messages.2.content.0.toolResult cannot be empty when status value is error.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Weather?"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"weather","input":{}}}]},
    ///  {"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","status":"error","content":[]}}]}],
    ///  "toolConfig":{"tools":[{"toolSpec":{"name":"weather","inputSchema":{"json":{"type":"object"}}}}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// A text that says that the tool gave no output is added.
    ///
    /// ## Evidence
    ///
    /// Reported once or twice, in the API's own words.
    BEDROCK_SILENT_ERROR, "bedrock-silent-error" of "bedrock" about [Field], Check::Item(KindSet::of(&[Kind::ToolResult]), check),
    [
        Variant {
            message: "toolResult {call_id} is an error without content",
            api: Some("The content field at messages.{message}.content.{block}.toolResult cannot be empty when status value is error."),
            answer: Answer::AWS,
            evidence: Evidence::Reported,
            fix: "add a text saying that the tool gave no output",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: Mend = Mend::append(r#"{"text":"the tool gave no output"}"#).at(&["toolResult", "content"]);

fn check(item: &Item<'_>, out: &mut Out) {
    let Some(result) = tool_result(item.val).filter(|_| !item.row.has(Flags::RECORDED)) else { return };
    let empty = result.get(name::content).is_some_and(|content| content.is_array() && content.count() == 0);
    if empty && result.get(name::status).is_some_and(|status| status.is("error")) {
        out.add(Finding::new(RULE.code, item.row).mend(&MEND));
    }
}
