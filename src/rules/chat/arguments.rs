//! RL513: a call's arguments are not JSON.

use crate::dialect::Item;
use crate::history::{Finding, Kind, KindSet};
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit, put_member};
use crate::json::{ScratchBuffers, Val, name, scan, string};
use crate::place::Edit;
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a function call whose `arguments` are empty or not valid JSON; for servers whose chat templates iterate
    /// over their members, also arguments that are JSON but not an object.
    ///
    /// ## Why it matters
    ///
    /// OpenAI accepts any text. Other servers parse it, and reject the request with HTTP 400; DashScope (Qwen) says
    ///
    /// > The "function.arguments" parameter of the code model must be in JSON format.
    ///
    /// and MiniMax
    ///
    /// > invalid params, invalid function arguments json string, tool_call_id: call_abc (2013)
    ///
    /// vLLM, llama.cpp and SGLang parse them for the chat template, and every later turn fails with the parser's
    /// message (`Failed to parse tool call arguments as JSON`, `Unterminated string starting at: …`, `Can only get item
    /// pairs from a mapping`). It happens when a stream breaks off within a call.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"qwen-plus","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"city\": \"Par"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"unknown city"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Empty arguments become `{}`; others become an object that contains the text, `{"arguments": "…"}`, so nothing is
    /// lost. Where it is a warning, this requires `--fix-warnings`.
    ///
    /// ## Evidence
    ///
    /// Reported: cc-switch#4735, NousResearch/hermes-agent#12167, oh-my-pi#181, nanobot#2373; Ollama: its source,
    /// `openai/openai.go`; vLLM:
    /// vllm-project/vllm#43995; llama.cpp: ggml-org/llama.cpp#25510; SGLang: sgl-project/sglang#28035. No report names
    /// OpenAI, and Groq accepted `null` four times.
    CHAT_ARGUMENTS, "chat-arguments" of "chat" tags [Field], Check::Item(CALLS, check),
    [
        Variant {
            message: "arguments of tool call {call_id} are not valid JSON",
            also: &[
                "The \"function.arguments\" parameter of the code model must be in JSON format.",
                "invalid params, invalid function arguments json string, tool_call_id: {call_id} (2013)",
                "Failed to parse tool call arguments as JSON",
                "cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments",
                "Can only get item pairs from a mapping",
                "'str object' has no attribute 'items'",
                "Expecting ',' delimiter: line {arg} column",
                "Expecting property name enclosed in double quotes: line {arg} column",
                "Unterminated string starting at: line {arg} column",
                "Value looks like object, but can't find closing '}' symbol",
            ],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "wrap the text in an object",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "arguments of tool call {call_id} are not a JSON object",
            also: &["Can only get item pairs from a mapping", "'str object' has no attribute 'items'"],
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "wrap the text in an object",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const CALLS: KindSet = KindSet::of(&[Kind::ToolUse]);

static MEND: ValueEdit = ValueEdit::by(make_object).at(&["function"]);

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let arguments = item.val.at(&["function", "arguments"]).and_then(|arguments| arguments.text());
    let Some(arguments) = arguments else { return };
    let mut scratch = ScratchBuffers::acquire();
    let tape = &mut scratch.tape;
    let read = scan(&arguments, tape).is_ok();
    let is_object = read && tape.root(&arguments).is_some_and(|root| root.is_object());
    if !is_object {
        out.add(Finding::new(RULE.code, item.row).variant(u8::from(read)).edit_value(&MEND));
    }
}

/// Replaces empty arguments with an empty object, and others with an object that contains their text.
pub(in crate::rules) fn make_object(
    function: Val<'_>,
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), EditRefusal> {
    let old = function.get(name::arguments).and_then(|old| old.text()).unwrap_or_default();
    let object = match old.trim_ascii().is_empty() {
        true => b"{}".to_vec(),
        false => [b"{\"arguments\":", &*string::quoted(&String::from_utf8_lossy(&old)), b"}"].concat(),
    };
    let text = string::quoted(&String::from_utf8_lossy(&object));
    Ok(put_member(function, "arguments", &text, base, out)?)
}
