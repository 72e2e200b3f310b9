//! RL505: a call's id is longer than the API accepts.

use crate::dialect::Item;
use crate::history::{Finding, Kind, KindSet, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a call whose `id` has more than 64 characters, or more than 40, which was the limit of older servers.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request with HTTP 400:
    ///
    /// > Invalid 'messages[10].tool_calls[0].id': string too long. Expected a string with maximum length 40, but
    /// > got a string with length 51 instead.
    ///
    /// Up to 2026 the sentence named 40, and Azure still does; OpenAI's own server names 64 today. It happens when
    /// a history comes from another provider, or a proxy packs state into ids.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[
    ///  {"role":"assistant","tool_calls":[
    ///  {"id":"call_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789","type":"function","function":{"name":"f","arguments":"{}"}}]},
    ///  {"role":"tool","tool_call_id":"call_0123456789_0123456789_0123456789_0123456789_0123456789_0123456789","content":"ok"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// The id is shortened to 40 characters on the call and its tool message, to the same one in every run. Nothing
    /// is lost. Ids of 41 to 64 characters are shortened only with `--fix-warnings`.
    ///
    /// ## Evidence
    ///
    /// Reported: camel-ai/camel#2215, microsoft/autogen#6377, vercel/ai#8132, sst/opencode#12653 for 40;
    /// jin-bo/agentao#321 for 64. Two recorded requests with an id of more than 40 characters were accepted, by
    /// OpenRouter. DeepSeek makes ids of 43 characters, and accepts them.
    CHAT_CALL_ID_LENGTH, "chat-call-id-length" of "chat" tags [Field], Check::Item(CALLS, check),
    [
        Variant {
            message: "the id of tool call {call_id} has {length} characters; at most 64 are allowed",
            api: Some("Invalid 'messages[{message}].tool_calls[{block}].id': string too long. Expected a string with maximum length 64, but got a string with length {length} instead."),
            evidence: Evidence::Reported,
            fix: "shorten the id on the call and its result",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "the id of tool call {call_id} has {length} characters; some servers accept only 40",
            api: Some("Invalid 'messages[{message}].tool_calls[{block}].id': string too long. Expected a string with maximum length 40, but got a string with length {length} instead."),
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            fix: "shorten the id on the call and its result",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

const CALLS: KindSet = KindSet::of(&[Kind::ToolUse]);

const LIMIT: usize = 64;
const OLD_LIMIT: usize = 40;

const LONG_FOR_SOME: u8 = 1;

fn check(item: &Item<'_>, out: &mut FindingSink) {
    let Some(key) = item.key.filter(|key| key.raw.len() > OLD_LIMIT) else { return };
    let length = key.characters();
    let finding = Finding::new(RULE.code, item.row).arg(length as u32).act(RepairAct::Rename);
    if length > LIMIT {
        out.add(finding);
    } else if length > OLD_LIMIT {
        out.add(finding.variant(LONG_FOR_SOME));
    }
}
