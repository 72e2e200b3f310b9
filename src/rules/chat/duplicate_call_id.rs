//! RL504: two calls have one id.

use foldhash::HashMap;

use crate::history::{Finding, Kind, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call with the `id` of an earlier call.
    ///
    /// ## Why it matters
    ///
    /// Within one message the tool messages cannot be distinguished, and the second of them is rejected like RL503. In
    /// a later turn OpenAI accepts it, as far as is known; Mistral counts the ids of the whole history and says
    ///
    /// > Not the same number of function calls and responses
    ///
    /// and MiniMax rejects it in its own words. It happens with models that create ids like `functions.search:0` anew
    /// in each turn.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"mistral-large-latest","messages":[
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"sunny"},
    ///  {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_1","content":"rainy"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The later call and its tool message get a new id, the same in every run. Nothing is lost.
    ///
    /// ## Evidence
    ///
    /// Reported for Mistral and MiniMax: oh-my-pi#2055, NousResearch/hermes-agent#11722, openclaw/openclaw#47136.
    /// Inferred for two calls in one message.
    CHAT_DUPLICATE_CALL_ID, "chat-duplicate-call-id" of "chat", Check::History(check),
    [
        Variant {
            message: "duplicate call id {call_id}: already used in an earlier turn",
            related: "the earlier call",
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "give the call and its tool message a new id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate call id {call_id} within one message",
            related: "the other call",
            also: &["Duplicate tool call id {call_id} in assistant message"],
            evidence: Evidence::Inferred,
            fix: "give the call and its tool message a new id",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const IN_ONE_MESSAGE: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let messages = &cx.history.messages;
    let mut seen: HashMap<u64, u32> = HashMap::default();
    for (ix, row) in cx.history.rows.iter().enumerate() {
        if row.kind != Kind::ToolUse || row.key == 0 {
            continue;
        }
        let ix = ix as u32;
        if let Some(first) = seen.insert(row.key, ix) {
            let finding = Finding::new(RULE.code, *row).with_partner(cx.row(first).at).act(RepairAct::Rekey);
            let here = messages.number_of(first) == messages.number_of(ix);
            out.add(finding.variant(if here { IN_ONE_MESSAGE } else { 0 }));
        }
    }
}
