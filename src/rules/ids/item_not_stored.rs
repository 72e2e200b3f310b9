//! RL303: an item refers to something that the server does not store.

use crate::history::{Finding, INLINE, ItemFlags};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// In a history for a server that stores no items, finds references (`item_reference`, or a bare `{"id": …}`) and
    /// images that are given by their id alone. A full item of another kind carries its own content and is never
    /// reported.
    ///
    /// ## Why it matters
    ///
    /// The id refers to nothing. The server answers HTTP 404 or 400:
    ///
    /// > Item with id 'rs_abc' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"store":false,"input":[{"type":"item_reference","id":"msg_1a"},{"role":"user","content":"Go on"}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// If the full item is elsewhere in the file, it replaces the reference. Otherwise the group of the
    /// reference is dropped, with the outputs of its calls. Before a history moves away from the server that stores its
    /// items, `--reasoning inline` does the same without a finding.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#7543, anomalyco/opencode#8987, can1357/oh-my-pi#41, rikkahub#1198 (image), BrainPilot#264 (Azure).
    ITEM_NOT_STORED, "item-not-stored" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "{id} is only referenced, but the server stores no items",
            api: Some(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with \
                 `store` set to true, or remove this item from your input.",
            ),
            status: 404,
            levels: Levels::STATELESS_ERROR,
            evidence: Evidence::Reported,
            fix: "drop the group of the reference",
            ..Variant::BASE
        },
        Variant {
            message: "{id} is only referenced, but the server stores no items; the full item is in the file",
            api: Some(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with \
                 `store` set to true, or remove this item from your input.",
            ),
            status: 404,
            levels: Levels::STATELESS_ERROR,
            evidence: Evidence::Reported,
            fix: "replace the reference with the full item",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for row in &cx.history.rows {
        if row.is_reference() || row.has(ItemFlags::ID_ONLY) {
            let known = u8::from(row.is_reference() && cx.stored_items.can_copy(row.id));
            out.add(Finding::new(RULE.code, *row).variant(known).remedy(INLINE));
        }
    }
}
