//! RL568: a content has function responses and other parts.

use crate::history::{Finding, Flags, Kind, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

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
    /// Up to Gemini 3.5 Google's own host accepts it, so it is a note (shown with `-v`), and an error with `--proven
    /// RL568`. Gemini 3.6 and later reject it with a
    /// misleading sentence (that of RL569, although the last turn is the user's):
    ///
    /// > Requests ending with a model turn are not supported.
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
    /// The other parts are moved to a separate content after the responses, and nothing is lost. Where it is a note,
    /// this requires `--proven RL568`.
    ///
    /// ## Evidence
    ///
    /// Reported: envoyproxy/ai-gateway PR#2686, BerriAI/litellm PR#17820; six recorded accepted requests to Google's own
    /// host have such a content. Gemini 3.6 and later: agentgateway#2811, BerriAI/litellm#35236, anomalyco/opencode#43479.
    GEMINI_MIXED_RESPONSE, "gemini-mixed-response" of "gemini", Check::History(check),
    [
        Variant {
            message: "{type} in the same content as function responses",
            api: Some("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."),
            error: ErrorDetails::GOOGLE,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "move the other parts to a separate content after it",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{type} in the same content as function responses, which Gemini 3.6 and later reject",
            api: Some("Requests ending with a model turn are not supported."),
            error: ErrorDetails::GOOGLE,
            evidence: Evidence::Reported,
            fix: "move the other parts to a separate content after it",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let is_response = |ix: &u32| cx.row(*ix).kind == Kind::ToolResult;
    for message in cx.history.messages.list.iter().filter(|message| message.role == Role::User) {
        let other = message.blocks().find(|ix| !is_response(ix));
        if let Some(other) = other.filter(|_| message.blocks().any(|ix| is_response(&ix)))
            && !cx.row(other).has(Flags::RECORDED)
        {
            let variant = u8::from(cx.has(Trait::UserLast));
            out.add(Finding::new(RULE.code, *cx.row(other)).variant(variant).act(RepairAct::Split));
        }
    }
}
