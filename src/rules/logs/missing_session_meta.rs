//! RL652: a paginated rollout does not start with session metadata.

use crate::history::numbered::Wrong;
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

use super::broken_ordinals::each;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a Codex rollout with ordinals whose first line is not a `session_meta`.
    ///
    /// ## Why it matters
    ///
    /// Codex does not open it:
    ///
    /// > does not start with session metadata
    ///
    /// The first line holds the id of the thread, its provider, and where its history begins. The file was cut from
    /// the front.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"timestamp":"…","ordinal":1,"type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}
    /// ```
    ///
    /// as the first line.
    ///
    /// ## Fix
    ///
    /// None: what the line said is not known.
    ///
    /// ## Evidence
    ///
    /// Source of Codex, August 2026.
    MISSING_SESSION_META, "missing-session-meta", Check::History(check),
    [
        Variant {
            message: "the rollout does not start with session metadata",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    each(cx, RULE.code, "what the line said is not known", out, |wrong| (wrong == Wrong::NoHeader).then_some(0));
}
