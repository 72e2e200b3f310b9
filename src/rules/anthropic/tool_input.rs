//! RL538: the input of a call is not an object.

use crate::dialect::Item;
use crate::dialects::common::input_object;
use crate::history::{Finding, Kind, KindSet};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{Val, name};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call whose `input` is not an object: null, a string, a list, or missing.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.35.content.0.tool_use.input: Input should be a valid dictionary
    ///
    /// It happens when a stream breaks off within the arguments, and when a client stores them as a string, as other
    /// APIs do.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"claude-sonnet-4-5","messages":[
    ///  {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":"{\"a\":1}"}]},
    ///  {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// A string that contains a JSON object becomes that object; a missing input, null and the empty string become
    /// `{}`; anything else is kept in `{"raw": …}`. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported in ten threads. For server-side tools no such rejection is known: there it is a warning.
    ANTHROPIC_TOOL_INPUT, "anthropic-tool-input" of "anthropic" tags [Field], Check::Item(KindSet::of(&[Kind::ToolUse, Kind::ServerUse]), check),
    [
        Variant {
            message: "the input of call {call_id} is not an object",
            api: Some("messages.{message}.content.{block}.tool_use.input: Input should be a valid dictionary"),
            evidence: Evidence::Reported,
            fix: "turn the input into an object",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the input of server tool call {call_id} is not an object",
            levels: Levels::WARNING,
            fix: "turn the input into an object",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(make_object);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    // Calls of other dialects have their arguments elsewhere.
    let is_use =
        item.val.get(name::r#type).and_then(|kind| kind.text()).is_some_and(|kind| kind.ends_with(b"tool_use"));
    if is_use && !item.val.get(name::input).as_ref().is_some_and(Val::is_object) {
        let finding = Finding::new(RULE.code, item.row).variant(u8::from(item.row.kind == Kind::ServerUse));
        out.add(finding.edit_value(&MEND));
    }
}

fn make_object(call: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    let input = call.get(name::input).map_or(b"{}".to_vec(), |input| input_object(input, "raw"));
    Ok(put_member(call, "input", &input, base, out)?)
}
