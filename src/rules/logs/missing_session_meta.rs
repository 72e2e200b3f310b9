//! RL652: a paginated rollout does not start with session metadata.

use crate::history::ordinals::OrdinalProblem;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

use super::broken_ordinals::report_faults;

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
    /// The first line contains the id of the thread, its provider, and where its history begins. It happens when the
    /// file is cut from the front.
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
    /// None: the content of the line is not known.
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

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    report_faults(cx, RULE.code, "the content of the line is not known", out, |wrong| {
        (wrong == OrdinalProblem::NoHeader).then_some(0)
    });
}
