//! RL597: a message has tool results, or calls, and other content, which the model rejects.

use crate::history::{Finding, Flags, Kind, RepairAct, Role};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// For Llama models, finds a user message with a `toolResult` and something else, such as a text, and an assistant
    /// message with a `toolUse` and a text.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.4.content: Conversation blocks and tool result blocks cannot be provided in the same turn.
    ///
    /// > messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn.
    ///
    /// Claude and Nova accept such messages, so the rule is off for them and for unknown models. It happens when a
    /// program adds a text to its results, and when the model says something before it calls a tool.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"modelId":"us.meta.llama4-maverick-17b-instruct-v1:0","messages":[
    ///  {"role":"user","content":[{"text":"Weather?"}]},
    ///  {"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"f","input":{}}}]},
    ///  {"role":"user","content":[
    ///   {"toolResult":{"toolUseId":"t1","content":[{"text":"sunny"}]}},{"text":"Answer in one word"}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings`, text beside calls is dropped: often it only says what the model is about to do. Words of
    /// the user beside results are not changed: they belong after the model's answer to the results, which is not in
    /// the file.
    ///
    /// ## Evidence
    ///
    /// Reported: strands-agents/harness-sdk#1223 (Strands 1.14.0, Llama 4 Maverick) for results,
    /// quarkiverse/quarkus-langchain4j#1983 (Llama 3.2 11B) for calls. Recorded requests with text beside results were
    /// accepted for Claude and Nova, with text beside calls for Claude, Nova, Cohere and Kimi K2 Thinking.
    BEDROCK_MIXED_RESULT, "bedrock-mixed-result" of "bedrock", Check::History(check),
    [
        Variant {
            message: "{type} in the same message as tool results, which this model rejects",
            api: Some(
                "messages.{message}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
            ),
            error: ErrorDetails::AWS,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "text in the same message as calls, which this model rejects",
            api: Some("Conversation blocks and tool use blocks cannot be provided in the same turn."),
            error: ErrorDetails::AWS,
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "drop the text",
            ..Variant::BASE
        },
    ]
}

const BESIDE_CALLS: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if cx.has(Trait::CallsAlone) {
        find_text_beside_calls(cx, out);
    }
    if !cx.has(Trait::ResultsAlone) {
        return;
    }
    let is_result = |ix: &u32| cx.row(*ix).kind == Kind::ToolResult;
    for turn in cx.history.messages.list.iter().filter(|turn| turn.role == Role::User) {
        let other = turn.blocks().find(|ix| !is_result(ix));
        if let Some(other) = other.filter(|_| turn.blocks().any(|ix| is_result(&ix)))
            && !cx.row(other).has(Flags::RECORDED)
        {
            let finding = Finding::new(RULE.code, *cx.row(other));
            out.add(finding.never("the model's answer to the results is not in the file"));
        }
    }
}

fn find_text_beside_calls(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for turn in cx.history.messages.list.iter().filter(|turn| turn.role == Role::Assistant) {
        let is = |ix: &u32, kind: Kind| cx.row(*ix).kind == kind && !cx.row(*ix).has(Flags::RECORDED);
        if turn.blocks().any(|ix| is(&ix, Kind::ToolUse)) {
            for text in turn.blocks().filter(|ix| is(ix, Kind::Text)) {
                out.add(Finding::new(RULE.code, *cx.row(text)).variant(BESIDE_CALLS).act(RepairAct::Drop));
            }
        }
    }
}
