//! RL306: items that the server already has are sent again.

use crate::history::{Finding, Flags, ItemFlags, RepairAct, Row};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds requests with `previous_response_id` or `conversation` whose input contains items with the server's ids:
    /// the server already has them. An item whose id belongs to another conversation is not reported.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the request with HTTP 400:
    ///
    /// > Duplicate item found with id rs_abc. Remove duplicate items from your input and try again.
    ///
    /// It happens when a client switches to server state and keeps sending the whole history.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5","previous_response_id":"resp_1","input":[
    ///  {"role":"user","content":"Hi"},
    ///  {"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[]},
    ///  {"role":"user","content":"Go on"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Only new items are sent: everything up to the last item that the server has is dropped. If nothing would remain,
    /// nothing is changed. The fix assumes that the state belongs to these items, so it counts as lossy.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#11899, microsoft/agent-framework#3295, MacPaw/OpenAI#432, pi#5148, OpenRouter ai-sdk#254. No
    /// recorded accepted request with state contains an item with an id.
    CHAIN_WITH_HISTORY, "chain-with-history" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "{items} that the server already has are sent again (last: {type} {id})",
            related: "the state",
            api: Some("Duplicate item found with id {id}. Remove duplicate items from your input and try again."),
            evidence: Evidence::Reported,
            fix: "send only the new items",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let settings = &cx.history.settings;
    let Some(state) = settings.previous.map(|previous| previous.at).or(settings.conversation) else { return };
    let lineage = settings.previous.map_or(0, |previous| previous.lineage);
    // Items that the response of a recorded exchange adds were never sent.
    let held = |row: &&Row| {
        let elsewhere = lineage != 0 && row.lineage != 0 && row.lineage != lineage;
        row.has_id()
            && row.is_model_made()
            && !row.has(ItemFlags::SYNTHETIC_ID)
            && !row.has(Flags::RECORDED)
            && !elsewhere
    };
    let count = cx.history.rows.iter().filter(held).count();
    let Some(last) = cx.history.rows.iter().rposition(|row| held(&row)) else { return };
    // Items that the server made in the same group are removed with it.
    let end = cx.history.group_of(last as u32).map_or(last as u32 + 1, |group| group.end);
    let left = cx.history.rows.iter().skip(end as usize).any(|row| !row.has(Flags::RECORDED));
    let finding = Finding::new(RULE.code, *cx.row(last as u32)).with_partner(state).arg(count as u32);
    out.add(match left {
        true => finding.act(RepairAct::SendNew(end)),
        false => finding.never("no new items would be left to send"),
    });
}
