//! RL597: a result is beside something else, and the model takes it only alone.

use crate::history::{Finding, Flags, Kind, Role};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::{Answer, Trait};

crate::rule! {
    /// ## What it does
    ///
    /// For Llama models, finds a user message with a `toolResult` and something else, such as a text.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > messages.4.content: Conversation blocks and tool result blocks cannot be provided in the same turn.
    ///
    /// Claude and Nova take such a message, so the rule is silent for them and for models that are not known.
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
    /// None: what the user says belongs after the model's answer to the results, which is not in the file.
    ///
    /// ## Evidence
    ///
    /// Reported: strands-agents/harness-sdk#1223. Recorded: 20 accepted requests to Nova and 6 to Claude have such a
    /// message.
    BEDROCK_MIXED_RESULT, "bedrock-mixed-result" of "bedrock", Check::History(check),
    [
        Variant {
            message: "{type} in the same message as tool results, which this model rejects",
            api: Some(
                "messages.{message}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.",
            ),
            answer: Answer::AWS,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
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
