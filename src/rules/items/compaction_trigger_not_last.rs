//! RL417: something comes after a compaction trigger.

use crate::history::{Finding, Kind, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a `compaction_trigger` that is not the last item.
    ///
    /// ## Why it matters
    ///
    /// The schema says of it:
    ///
    /// > Must be the final input item.
    ///
    /// It happens when a request that asked for a compaction is stored and continued.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"compaction_trigger"},{"role":"user","content":"Go on"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The trigger is dropped: it has no content, and the compaction has already happened.
    ///
    /// ## Evidence
    ///
    /// Documented in the official schema; the API's error is not known.
    COMPACTION_TRIGGER_NOT_LAST, "compaction-trigger-not-last" of "responses" tags [Field], Check::History(check),
    [
        Variant {
            message: "{type} is not the last item",
            related: "the item after it",
            evidence: Evidence::Documented,
            fix: "drop the trigger",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let rows = &cx.history.rows;
    for (row, next) in rows.iter().zip(rows.iter().skip(1)) {
        if row.kind == Kind::CompactionTrigger {
            out.add(Finding::new(RULE.code, *row).with_partner(next.at).act(RepairAct::Drop));
        }
    }
}
