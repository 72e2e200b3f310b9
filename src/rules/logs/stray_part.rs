//! RL641: part of an item is stored, but not the item.

use crate::history::continuations::unmatched;
use crate::history::{Finding, RepairAct};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds parts of an item that is itself missing from a log: the result of a server-side tool without its call, or
    /// a call that was started although no response requested it.
    ///
    /// ## Why it matters
    ///
    /// It is not replayed: the item contains call and result together, and only a response makes a call. So nothing is
    /// rejected, but the model does not see it. It happens when a log is cut between the two.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"ag2.config.openai.events.OpenAIServerToolResultEvent",
    ///  "data":{"parent_id":"ws_1","name":"web_search"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// With `--fix-warnings` it is removed, as coder's chatd and AG2 do before they send.
    ///
    /// ## Evidence
    ///
    /// Inferred from the tests of both: chatd drops provider-executed results without their call, AG2's trimming drops
    /// results and calls that no retained response or call announces.
    STRAY_PART, "stray-part", Check::History(check),
    [
        Variant {
            message: "part of ⟨{any_id}, ⟩an item that is not in the history",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "drop it (it is never replayed)",
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for row in unmatched(&cx.history.continuations, &cx.history.rows) {
        out.add(Finding::new(RULE.code, *row).act(RepairAct::Drop));
    }
}
