//! RL203: several reasoning items and their calls were sorted by kind.

use crate::history::{DETACH, Finding, Group, Row};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds two or more reasoning items with ids directly after each other, followed by two or more calls with ids: a
    /// client that sorts a turn by kind turns "reasoning, call, reasoning, call" into this.
    ///
    /// ## Why it matters
    ///
    /// Each call is linked to the reasoning right before it. With all reasoning first, the server rejects the first
    /// call with HTTP 400:
    ///
    /// > Item 'fc_abc' of type 'function_call' was provided without its required 'reasoning' item: 'rs_abc'.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"reasoning","id":"rs_1","summary":[]},
    ///  {"type":"reasoning","id":"rs_2","summary":[]},
    ///  {"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}"},
    ///  {"type":"function_call","id":"fc_2","call_id":"call_2","name":"f","arguments":"{}"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"1"},
    ///  {"type":"function_call_output","call_id":"call_2","output":"2"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The whole group loses its ids. The items do not say which call belongs to which reasoning, so their order is
    /// not restored.
    ///
    /// ## Evidence
    ///
    /// Reported: TanStack/ai#1345 (gpt-5.6-terra, `store: false`), #1365; langchain-ai/langchainjs#9082.
    REGROUPED_REASONING, "regrouped-reasoning" of "responses" tags [Reasoning, Identity], Check::Group(check),
    [
        Variant {
            message: "{type} {id} is one of several calls after several reasoning items; each call needs its \
                      own reasoning item before it",
            related: "the first of the reasoning items",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item."),
            evidence: Evidence::Reported,
            fix: "remove the item ids of this group",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, group: &Group, out: &mut FindingSink) {
    let thoughts = cx.history.rows_in(group.reasoning()).iter().filter(|row| row.has_id()).count();
    if thoughts < 2 {
        return;
    }
    let is_linked_call = |row: &&Row| row.has_id() && row.item_kind.is_call();
    let mut calls = cx.history.rows_in(group.members()).iter().filter(is_linked_call);
    if let (Some(first), Some(_)) = (calls.next(), calls.next()) {
        let finding = Finding::new(RULE.code, *first).with_partner(cx.row(group.start).at);
        out.add(finding.remedy(DETACH));
    }
}
