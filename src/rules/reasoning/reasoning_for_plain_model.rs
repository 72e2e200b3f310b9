//! RL204: reasoning is sent to a model that does not accept it.

use crate::history::{Finding, Group, Remedy, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Thinking;

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning items in a history for a model that does not reason: gpt-3.5, gpt-4, gpt-4.1, gpt-4o and their
    /// variants, chatgpt-*, gpt-5-chat. The model is the one in the request, or `--model`. Unknown models are not
    /// checked.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.
    ///
    /// It happens when a conversation continues with another model.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4.1","input":[
    ///   {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},
    ///   {"type":"message","id":"msg_1a","role":"assistant","status":"completed","content":[]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The reasoning is dropped and its group loses its ids. The model could not have used the reasoning.
    ///
    /// ## Evidence
    ///
    /// Reported: openai/openai-python#2364 (Azure), and three more threads.
    REASONING_FOR_PLAIN_MODEL, "reasoning-for-plain-model" of "responses" tags [Reasoning, Identity, LosesReasoning], Check::Group(check),
    [
        Variant {
            message: "reasoning item {id}: the model does not accept reasoning items",
            api: Some(
                "Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items \
                 from your input and try again.",
            ),
            evidence: Evidence::Reported,
            fix: "drop the reasoning and remove the ids of its group",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, group: &Group, out: &mut FindingSink) {
    if cx.thinking == Thinking::Never && group.has_reasoning() {
        out.add(Finding::new(RULE.code, *cx.row(group.start)).remedy(Remedy::One(RepairAct::Flatten)));
    }
}
