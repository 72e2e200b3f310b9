//! RL305: of a group, some items are references and some are in full.

use crate::history::{Class, Finding, Group, REFER, Row};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds reasoning that is a reference while its items are in full, or the other way round.
    ///
    /// ## Why it matters
    ///
    /// The two halves of a mixed group were reported as unpaired, with HTTP 400:
    ///
    /// > Item 'msg_abc' of type 'message' was provided without its required 'reasoning' item: 'rs_abc'.
    ///
    /// Either all items of a group are references, adjacent and in order, or all are in full.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"item_reference","id":"rs_1"},
    ///  {"type":"message","id":"msg_1a","role":"assistant","status":"completed","content":[]}]
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` the whole group is replaced by references where that is legal. By default nothing is
    /// changed: no recorded request has mixed groups. `--reasoning reference` does so with every group, and `--reasoning inline` puts
    /// full items in place of references where the file contains them.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#10829 and its pull request #10827; OpenAI community thread 1344988.
    MIXED_REFERENCES, "mixed-references" of "responses" tags [Identity, LosesReasoning], Check::Group(check),
    [
        Variant {
            message: "{type} {id} and its reasoning must both be references or both be in full",
            related: "the reasoning",
            api: Some("Item '{id}' of type '{type}' was provided without its required 'reasoning' item⟨: '{partner_id}'⟩."),
            levels: Levels::STORED_WARNING,
            evidence: Evidence::Reported,
            fix: "replace the whole group with references",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, group: &Group, out: &mut FindingSink) {
    if !group.has_reasoning() {
        return;
    }
    let head = cx.row(group.body - 1);
    // For a client's call only its call_id counts, and an item without an id is RL202.
    let differs = |row: &&Row| {
        row.has_id()
            && row.is_model_made()
            && row.item_kind.class() != Class::Call
            && row.is_reference() != head.is_reference()
    };
    if let Some(row) = cx.history.rows_in(group.members()).iter().find(differs) {
        out.add(Finding::new(RULE.code, *row).with_partner(head.at).remedy(REFER));
    }
}
