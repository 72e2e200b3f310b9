//! RL411: the arguments of a call are not JSON, and the server parses them.

use crate::history::{Finding, Kind};
use crate::json::value_edit::ValueEdit;
use crate::json::{Tape, name, scan};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::rules::chat::arguments::make_object;
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// For servers that parse them: finds function calls whose `arguments` are empty or not valid JSON. OpenAI accepts
    /// any text, so nothing is reported there.
    ///
    /// ## Why it matters
    ///
    /// vLLM, DashScope, MiniMax and some gateways reject such a call, each in its own words. One of the gateways says
    ///
    /// > Responses function_call arguments are invalid JSON
    ///
    /// It happens when a stream breaks off in the middle of the arguments, and breaks converters to other APIs as well.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","call_id":"call_1","name":"f","arguments":"{\"city\":\"Os"}
    /// ```
    ///
    /// (with `--target openai-compatible`)
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings`, empty arguments become `{}`; others become an object that contains the text,
    /// `{"arguments": "…"}`, so nothing is lost. Chat has the same repair (RL513).
    ///
    /// ## Evidence
    ///
    /// Reported: local-inference-lab/vllm#684 for vLLM, free-claude-code#911 for the gateway; for DashScope and MiniMax
    /// see RL513. No such rejection by OpenAI is known.
    ARGUMENTS_NOT_JSON, "arguments-not-json" of "responses" tags [Field], Check::History(check),
    [
        Variant {
            message: "arguments of {type} {call_id} are not valid JSON",
            also: &["Responses function_call arguments are invalid JSON"],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "wrap the text in an object",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

static MEND: ValueEdit = ValueEdit::by(make_object);

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if !cx.caps.parses_arguments {
        return;
    }
    let mut tape = Tape::new();
    for row in cx.history.rows.iter().filter(|row| row.kind == Kind::FunctionCall) {
        let mut broken = false;
        cx.text.with_item(row, &mut |item| {
            let text = item.get(name::arguments).and_then(|arguments| arguments.text());
            broken = text.is_some_and(|text| scan(&text, &mut tape).is_err());
        });
        if broken {
            out.add(Finding::new(RULE.code, *row).edit_value(&MEND));
        }
    }
}
