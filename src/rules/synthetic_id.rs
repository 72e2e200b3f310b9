//! RL311: an id has a form that only clients make up.

use crate::dialect::Item;
use crate::history::{Code, Finding, Flags, KindSet, Remedy};
use crate::rule::{Check, Evidence, Loss, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds ids of the forms `msg_17`, `resp_1760000000000` (milliseconds) and `openai_1760000000000`: clients make them
    /// up when they lose or never had the server's.
    ///
    /// ## Why it matters
    ///
    /// The server does not know the id: a reference to it is not found, it cannot be chained on, and a counter repeats
    /// from conversation to conversation ("Duplicate item found with id …"). By itself it may pass, so this is a warning.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"type":"message","id":"msg_17","role":"assistant","status":"completed","content":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// Off by default. With `--fix-warnings` the id is deleted, with those of its group.
    ///
    /// ## Evidence
    ///
    /// Reported: vercel/ai#11899 and badlogic/pi-mono#5148 (counters collide), Kode-CLI (`resp_<ms>`). No text of the API
    /// was seen for such an id alone.
    311, "synthetic-id", Check::Item(KindSet::ALL, check),
    [
        Variant {
            message: "the id {id} looks made up by a client: the server does not know it",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "strip the id, with those of its group",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

fn check(item: &Item<'_>, out: &mut Out) {
    if item.row.has(Flags::SYNTHETIC_ID) {
        out.add(Finding::new(Code(311), item.row).remedy(Remedy::Group));
    }
}
