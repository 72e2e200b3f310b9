//! RL641: what belongs to an item is stored, the item is not.

use crate::history::continued::stray;
use crate::history::{Act, Finding};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds what a log stores about an item that is itself missing: the result of a server-side tool without its
    /// call, or a call that was started although no response requested it.
    ///
    /// ## Why it matters
    ///
    /// Nothing of it is replayed: the item holds call and result together, and only a response makes a call. So nothing
    /// is rejected, but the model does not see what the log shows. It happens when a log is cut between the two.
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
    /// None by default. With `--fix-warnings` it is dropped, as coder's chatd and AG2 do before they send.
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

fn check(cx: &Cx<'_>, out: &mut Out) {
    for row in stray(&cx.history.continued, &cx.history.rows) {
        out.add(Finding::new(RULE.code, *row).act(Act::Drop));
    }
}
