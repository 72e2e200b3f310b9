//! RL205: reasoning has no encrypted content, and the server stores none.

use crate::history::{Finding, Group, ItemFlags, UNREADABLE};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning without `encrypted_content` (or with null) in a history for a server that stores no items:
    /// `store: false`, Codex, a zero-retention organisation.
    ///
    /// ## Why it matters
    ///
    /// The id of the reasoning then refers to nothing. The server answers HTTP 404 or 400:
    ///
    /// > Item with id 'rs_abc' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.
    ///
    /// It happens when `include: ["reasoning.encrypted_content"]` was missing, or a proxy forces `store: false`.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"store":false,"input":[
    ///   {"type":"reasoning","id":"rs_1","summary":[]},
    ///   {"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}"},
    ///   {"type":"function_call_output","call_id":"call_1","output":"1"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The reasoning is dropped, and its group loses its ids if no other reasoning remains in it. The reasoning is lost
    /// for the model, including its summary. If the server may store the request after all, `--store true` checks it
    /// accordingly and nothing is lost; `--reasoning reference` then sends only the ids of its items.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#7543, anomalyco/opencode#7724, openai/openai-dotnet#779, langchain-openrouter#37777,
    /// github/copilot-sdk#615. xAI and DeepSeek accept reasoning without a blob.
    REASONING_WITHOUT_BLOB, "reasoning-without-blob" of "responses" tags [Reasoning, Identity, LosesReasoning], Check::Group(check),
    [
        Variant {
            message: "reasoning item {id} has no encrypted_content, and the server stores no items",
            api: Some(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with \
                 `store` set to true, or remove this item from your input.",
            ),
            status: 404,
            levels: Levels::STATELESS_ERROR,
            evidence: Evidence::Reported,
            fix: "drop the reasoning and remove the ids of its group",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, group: &Group, out: &mut FindingSink) {
    if cx.stored {
        return;
    }
    for row in cx.history.rows_in(group.reasoning()) {
        if row.is_reasoning() && !row.is_reference() && !row.has(ItemFlags::BLOB) {
            out.add(Finding::new(RULE.code, *row).remedy(UNREADABLE));
        }
    }
}
