//! RL314: several blobs are replayed where the server accepts only one.

use crate::history::{Finding, ItemFlags};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// For Azure without store: finds a second reasoning item with encrypted content.
    ///
    /// ## Why it matters
    ///
    /// Azure rejected it with HTTP 400 in a measurement, while any single one was accepted:
    ///
    /// > Conflicting authenticated continuation identities
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},
    ///  {"role":"assistant","content":"Hello"},
    ///  {"role":"user","content":"Go on"},
    ///  {"type":"reasoning","id":"rs_2","summary":[],"encrypted_content":"gAAB"},
    ///  {"role":"assistant","content":"Yes"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// Off by default. `--reasoning strip` removes the reasoning.
    ///
    /// ## Evidence
    ///
    /// Reported: NousResearch/hermes-agent#101243 (ten variants measured, one source, one model), hence a
    /// warning.
    CONFLICTING_BLOBS, "conflicting-blobs" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "{type} {any_id} has encrypted content, and so has an earlier one; this server may accept \
                      only one",
            related: "the earlier one",
            api: Some("Conflicting authenticated continuation identities"),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let mut blobs = cx.history.rows.iter().filter(|row| row.is_reasoning() && row.has(ItemFlags::BLOB));
    if let (Some(first), Some(second)) = (blobs.next(), blobs.next()) {
        let finding = Finding::new(RULE.code, *second).with_partner(first.at);
        out.add(finding.never("it is not known which of them the server accepts"));
    }
}
