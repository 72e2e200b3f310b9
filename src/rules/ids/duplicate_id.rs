//! RL301: two items have one id.

use crate::history::{Finding, RepairAct, STRIP_ID};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds items with the same id, references included. Outputs usually have none: they are identified by
    /// `call_id`.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Duplicate item found with id rs_abc. Remove duplicate items from your input and try again.
    ///
    /// It happens when a history is merged with itself, text parts of one message are split into several items, or a
    /// client creates ids like `msg_17` that repeat from turn to turn. xAI repeats ids itself and does not check them.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"message","id":"msg_1a","role":"assistant","status":"completed","content":[]},
    ///  {"role":"user","content":"Again?"},
    ///  {"type":"message","id":"msg_1a","role":"assistant","status":"completed","content":[]}]
    /// ```
    ///
    /// ## Fix
    ///
    /// If both are the same (as canonical JSON), the later one is dropped, and nothing is lost. Otherwise both are
    /// kept, and one of them loses its id: the one whose group can be replayed without it and keeps more of its own
    /// ids.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#11899, microsoft/agent-framework#3295, MacPaw/OpenAI#432,
    /// OpenRouterTeam/ai-sdk-provider#254, github/copilot-cli#3558. No recorded accepted request to OpenAI, Azure or
    /// Codex has a duplicate id; requests to xAI do.
    DUPLICATE_ID, "duplicate-id" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "duplicate id: {type} {id} is already in the history",
            related: "the earlier item",
            api: Some("Duplicate item found with id {id}. Remove duplicate items from your input and try again."),
            evidence: Evidence::Reported,
            fix: "drop the later copy",
            loss: crate::rule::Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "duplicate id: {type} has the id of another item, {id}",
            related: "the earlier item",
            api: Some("Duplicate item found with id {id}. Remove duplicate items from your input and try again."),
            evidence: Evidence::Reported,
            fix: "strip the ids of the later item's group",
            ..Variant::BASE
        },
    ]
}

const DIFFERENT: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let rows = &cx.history.rows;
    let mut ids: Vec<(u64, u32)> =
        rows.iter().enumerate().filter(|(_, row)| row.has_id()).map(|(ix, row)| (row.id, ix as u32)).collect();
    ids.sort_unstable();
    for same in ids.chunk_by(|a, b| a.0 == b.0) {
        let Some((&(_, first), others)) = same.split_first() else { continue };
        let first = cx.row(first);
        for &(_, ix) in others {
            let row = *cx.row(ix);
            if !cx.text.same_id(first, &row) {
                continue;
            }
            let finding = Finding::new(RULE.code, row).with_partner(first.at);
            // A reference to an item that the history contains in full adds nothing.
            if row.is_reference() || cx.text.same_content(first, &row) {
                out.add(finding.act(RepairAct::Drop));
            } else {
                out.add(finding.variant(DIFFERENT).remedy(STRIP_ID));
            }
        }
    }
}
