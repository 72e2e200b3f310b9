//! RL568: something else stands among responses.

use crate::history::{Act, Finding, Flags, Kind, Role};
use crate::rule::{Check, Cx, Evidence, Loss, Out, Variant};
use crate::target::{Answer, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a content with a `functionResponse` and something else, such as a text or an image.
    ///
    /// ## Why it matters
    ///
    /// Vertex AI counts the parts of such a content, and was reported to reject it with HTTP 400:
    ///
    /// > Please ensure that the number of function response parts is equal to the number of function call parts of the
    /// > function call turn.
    ///
    /// Google's own host takes it, so it is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"contents":[
    ///  {"role":"user","parts":[{"text":"Weather?"}]},
    ///  {"role":"model","parts":[{"functionCall":{"name":"weather","args":{}}}]},
    ///  {"role":"user","parts":[
    ///   {"functionResponse":{"name":"weather","response":{"output":"sunny"}}},{"text":"And tomorrow?"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` everything else is moved to a content of its own after the responses, and nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported: envoyproxy/ai-gateway PR#2686, BerriAI/litellm PR#17820; six recorded accepted requests to Google's own
    /// host have such a content.
    568, "gemini-mixed-response" of "gemini", Check::History(check),
    [
        Variant {
            message: "{type} in the same content as function responses",
            api: Some("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."),
            answer: Answer::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "move everything else to a content of its own after it",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    let is_response = |ix: &u32| cx.row(*ix).kind == Kind::ToolResult;
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::User) {
        let other = message.blocks().find(|ix| !is_response(ix));
        if let Some(other) = other.filter(|_| message.blocks().any(|ix| is_response(&ix)))
            && !cx.row(other).has(Flags::RECORDED)
        {
            out.add(Finding::new(RULE.code, *cx.row(other)).act(Act::Split));
        }
    }
}
