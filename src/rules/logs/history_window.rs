//! RL650: a rollout continues from another one that was not read.

use crate::history::{Family, Finding, Pair, PairState, Row};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a Codex rollout that continues from another one (`history_base`) which was not found, or the page of a thread
    /// whose earlier pages were not found; and the outputs in it whose calls must be in the missing part.
    ///
    /// ## Why it matters
    ///
    /// A fork of a paginated rollout repeats nothing of its parent: its history is the first part of the parent's file
    /// and then its own lines. Only the end of the history is checked. Outputs without a call are not reported as
    /// orphans (RL102), and nothing is dropped for a missing partner.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"ordinal":4,"type":"session_meta","payload":{"id":"…2","history_mode":"paginated",
    ///  "history_base":{"thread_id":"…1","end_ordinal_exclusive":4,"end_byte_offset":900}}}
    /// {"ordinal":5,"type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"ok"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None. Name the other file on the command line, or put it in the same folder. It is also looked up below
    /// `$CODEX_HOME/sessions` (`~/.codex/sessions`), unless `--no-lookup` is given.
    ///
    /// ## Evidence
    ///
    /// Source of Codex, August 2026: a fork is rebuilt from its parent's file.
    HISTORY_WINDOW, "history-window" tags [MissingPartner], Check::History(check),
    [
        Variant {
            message: "the history begins in {text}, which was not found; only the rest was checked",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "the call of {type} {call_id} is in the part of the history that was not found",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

const NOT_HERE: &str = "the call is in another file";

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let Some(at) = cx.history.settings.window() else { return };
    out.add(Finding::new(RULE.code, Row::of_place(at, 0)).never("name the other file as well"));
    let orphan = |pair: &&Pair| pair.state == PairState::Orphan && !cx.history.call_patterns.explains(pair.output);
    for pair in cx.history.pairs.iter().filter(orphan) {
        let row = *cx.row(pair.output);
        if row.kind.family() != Some(Family::Approval) {
            out.add(Finding::new(RULE.code, row).variant(1).never(NOT_HERE));
        }
    }
}
