//! RL411: the arguments of a call are no JSON, and the server reads them.

use crate::history::{Finding, Kind};
use crate::json::{Tape, name, scan};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// For servers that parse them: finds function calls whose `arguments` are not valid JSON. OpenAI accepts any
    /// text, so it is silent there.
    ///
    /// ## Why it matters
    ///
    /// vLLM, DashScope, MiniMax and some gateways reject such a call, each in its own words. It happens when a
    /// stream breaks off in the middle of the arguments, and converters to other APIs stumble over it as well.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"function_call","call_id":"call_1","name":"f","arguments":"{\"city\":\"Os"}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the intended arguments are not known.
    ///
    /// ## Evidence
    ///
    /// Reported: local-inference-lab/vllm#684, free-claude-code#911. No such refusal by OpenAI was found.
    ARGUMENTS_NOT_JSON, "arguments-not-json" of "responses" about [Field], Check::History(check),
    [
        Variant {
            message: "arguments of {type} {call_id} are not valid JSON",
            also: &["Responses function_call arguments are invalid JSON"],
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    if !cx.caps.parses_arguments {
        return;
    }
    let mut tape = Tape::new();
    for row in cx.history.rows.iter().filter(|row| row.kind == Kind::FunctionCall) {
        let mut broken = false;
        cx.look.look(row, &mut |item| {
            let text = item.get(name::arguments).and_then(|arguments| arguments.text());
            broken = text.is_some_and(|text| scan(&text, &mut tape).is_err());
        });
        if broken {
            out.add(Finding::new(RULE.code, *row).never("the intended arguments are not known"));
        }
    }
}
