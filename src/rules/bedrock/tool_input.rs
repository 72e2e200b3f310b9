//! RL584: the input of a call is not an object.

use crate::dialect::Item;
use crate::dialects::bedrock::tool_use;
use crate::dialects::common::input_object;
use crate::history::{Finding, Flags, Kind, KindSet};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::ErrorDetails;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `toolUse` whose `input` is not a JSON object.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field and
    /// > try again.
    ///
    /// It happens when the arguments are stored as a string, as other APIs do, or when a stream breaks off within them.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"messages":[
    ///  {"role":"user","content":[{"text":"Weather?"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"tooluse_1","name":"weather","input":"{}"}}]},
    ///  {"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"sunny"}]}}]}],
    ///  "toolConfig":{"tools":[{"toolSpec":{"name":"weather","inputSchema":{"json":{"type":"object"}}}}]}}
    /// ```
    ///
    /// ## Fix
    ///
    /// A string that contains an object becomes that object; a missing input becomes an empty one; anything else is
    /// kept as the field `input` of an object.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#16561. All inputs in recorded accepted requests are objects.
    BEDROCK_TOOL_INPUT, "bedrock-tool-input" of "bedrock" tags [Field], Check::Item(KindSet::of(&[Kind::ToolUse]), check),
    [
        Variant {
            message: "the input of call {call_id} is not an object",
            api: Some("The format of the value at messages.{message}.content.{block}.toolUse.input is invalid. Provide a json object for the field and try again."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            fix: "turn it into an object",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(make_object).at(&["toolUse"]);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let input = tool_use(item.val).and_then(|call| call.get(name::input));
    if !input.as_ref().is_some_and(Val::is_object) && !item.row.has(Flags::RECORDED) {
        out.add(Finding::new(RULE.code, item.row).edit_value(&MEND));
    }
}

fn make_object(call: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let input = call.get(name::input).map_or(b"{}".to_vec(), |input| input_object(input, "input"));
    Ok(put_member(call, "input", &input, base, out)?)
}
