//! RL589: a result is an error without content.

use crate::dialect::Item;
use crate::dialects::bedrock::tool_result;
use crate::history::{Finding, Flags, Kind, KindSet};
use crate::json::name;
use crate::json::value_edit::ValueEdit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::ErrorDetails;

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
    /// A text saying that the tool gave no output is added.
    ///
    /// ## Evidence
    ///
    /// Reported once or twice, with the API's sentence.
    BEDROCK_SILENT_ERROR, "bedrock-silent-error" of "bedrock" tags [Field], Check::Item(KindSet::of(&[Kind::ToolResult]), check),
    [
        Variant {
            message: "toolResult {call_id} is an error without content",
            api: Some("The content field at messages.{message}.content.{block}.toolResult cannot be empty when status value is error."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "add a text saying that the tool gave no output",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::append(r#"{"text":"the tool gave no output"}"#).at(&["toolResult", "content"]);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let Some(result) = tool_result(item.val).filter(|_| !item.row.has(Flags::RECORDED)) else { return };
    let empty = result.get(name::content).is_some_and(|content| content.is_array() && content.count() == 0);
    if empty && result.get(name::status).is_some_and(|status| status.is("error")) {
        out.add(Finding::new(RULE.code, item.row).edit_value(&MEND));
    }
}
