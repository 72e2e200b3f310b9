//! RL311: an id has a form that only clients invent.

use crate::history::{Finding, ItemFlags, STRIP_ID};
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds ids of the forms `msg_17`, `resp_1760000000000` (milliseconds) and `openai_1760000000000`: clients invent
    /// them when they lose, or never had, the server's. Also finds a `previous_response_id` of such a form.
    ///
    /// ## Why it matters
    ///
    /// The server does not know the id: a reference to it is not found, it cannot be chained on, and a counter repeats
    /// from conversation to conversation ("Duplicate item found with id …"). By itself it may be accepted, so this is a
    /// warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"message","id":"msg_17","role":"assistant","status":"completed","content":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Off by default. With `--fix-warnings` an item's id is removed, with those of its group if it followed the reasoning. A
    /// `previous_response_id` is kept: the history up to it would have to be sent instead.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#11899 and badlogic/pi-mono#5148 (counters collide), Kode-CLI (`resp_<ms>`). No error of the
    /// API is known for such an id alone.
    SYNTHETIC_ID, "synthetic-id" of "responses" tags [Identity], Check::History(check),
    [
        Variant {
            message: "id {id} looks invented by a client; the server does not know it",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "remove the id, and the ids of its group",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "response id {text} looks invented by a client; no request can build on it",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            ..Variant::BASE
        },
    ]
}

const RESPONSE: u8 = 1;

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    for row in cx.history.rows.iter().filter(|row| row.has(ItemFlags::SYNTHETIC_ID)) {
        out.add(Finding::new(RULE.code, *row).remedy(STRIP_ID));
    }
    if let Some(previous) = cx.history.settings.previous.filter(|previous| previous.synthetic) {
        let finding = cx.request_finding(RULE.code, previous.at).variant(RESPONSE);
        out.add(finding.never("the history up to that response has to be sent instead"));
    }
}
