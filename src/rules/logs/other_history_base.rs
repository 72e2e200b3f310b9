//! RL653: a rollout does not go on where its `history_base` says.

use crate::history::numbered::Wrong;
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

use super::broken_ordinals::{COPY, each};

crate::rule! {
    /// ## What it does
    ///
    /// Finds a paginated Codex rollout whose `history_base.end_ordinal_exclusive` is not the ordinal after the last line
    /// that `history_base.end_byte_offset` leaves of the rollout that it continues from.
    ///
    /// ## Why it matters
    ///
    /// One of the two files was changed after the fork: lines of the history are missing, or come twice. Codex rejects it
    /// ("expected ordinal N, got M").
    ///
    /// ## Example
    ///
    /// A `history_base` with `"end_ordinal_exclusive":40` on a file whose line 38 ends at `end_byte_offset`.
    ///
    /// ## Fix
    ///
    /// None: nobody knows which of the two is right. `replaylint fix -o DIR FILE` writes a copy of what is there.
    ///
    /// ## Evidence
    ///
    /// Source of Codex, August 2026.
    OTHER_HISTORY_BASE, "other-history-base", Check::History(check),
    [
        Variant {
            message: "the rollout that this one continues ends before ordinal {arg}, which is not the one that \
                      `history_base` names",
            levels: Levels::ERROR,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    each(cx, RULE.code, COPY, out, |wrong| (wrong == Wrong::OtherOrigin).then_some(0));
}
