//! RL653: a rollout does not continue where its `history_base` says.

use crate::history::ordinals::OrdinalProblem;
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

use super::broken_ordinals::{COPY, report_faults};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a paginated Codex rollout whose `history_base.end_ordinal_exclusive` is not the ordinal after the last
    /// line before `history_base.end_byte_offset` in the rollout that it continues.
    ///
    /// ## Why it matters
    ///
    /// One of the two files was changed after the fork: lines of the history are missing or duplicated. Codex rejects
    /// it ("expected ordinal N, got M").
    ///
    /// ## Example
    ///
    /// A `history_base` with `"end_ordinal_exclusive":40` on a file whose line 38 ends at `end_byte_offset`.
    ///
    /// ## Fix
    ///
    /// None: it is not known which of the two is right. `replaylint fix -o DIR FILE` writes a copy of the available
    /// lines.
    ///
    /// ## Evidence
    ///
    /// Source of Codex, August 2026.
    OTHER_HISTORY_BASE, "other-history-base", Check::History(check),
    [
        Variant {
            message: "the rollout that this one continues ends before ordinal {arg}, not at the one in `history_base`",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    report_faults(cx, RULE.code, COPY, out, |wrong| (wrong == OrdinalProblem::OtherOrigin).then_some(0));
}
