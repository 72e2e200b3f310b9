//! RL651: the ordinals of a paginated rollout do not increase by one.

use crate::history::ordinals::{OrdinalFault, OrdinalProblem};
use crate::history::{Code, Finding, Row};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a line of a paginated Codex rollout (`history_mode` is `paginated`) whose `ordinal` is not one more than
    /// that of the line before it, or is missing.
    ///
    /// ## Why it matters
    ///
    /// Codex 0.169 reads the whole thread nevertheless, so this is a warning. Versions of August 2026 rejected it on resume:
    ///
    /// > paginated rollout expected ordinal 12
    ///
    /// and, for a last line without an ordinal, "final paginated rollout record … is missing an ordinal". A duplicate
    /// froze the view of the history. It happens when a line is removed, copied or written twice, often by another
    /// program that edits sessions.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"timestamp":"…","ordinal":7,"type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}
    /// {"timestamp":"…","ordinal":7,"type":"turn_context","payload":{"model":"gpt-5.2-codex"}}
    /// ```
    ///
    /// ## Fix
    ///
    /// None in the file: other rollouts and Codex's index refer to its ordinals and offsets, and a number may be longer
    /// than the one that it replaces. `replaylint fix --install FILE` writes a copy without ordinals, under a new id,
    /// where Codex finds it.
    ///
    /// ## Evidence
    ///
    /// Recorded: Codex 0.169.0 sends all turns of a rollout with missing, doubled or no ordinals. Source of Codex, August 2026.
    /// Reported: openai/codex#41566, #35746.
    BROKEN_ORDINALS, "broken-ordinals", Check::History(check),
    [
        Variant {
            message: "expected ordinal {arg}: lines are missing before this one",
            ..LINE
        },
        Variant {
            message: "expected ordinal {arg}: the ordinal of this line was used before",
            ..LINE
        },
        Variant {
            message: "expected ordinal {arg}: this line has no ordinal",
            ..LINE
        },
        Variant {
            message: "the final record of the paginated rollout is missing an ordinal; expected {arg}",
            ..LINE
        },
    ]
}

const LINE: Variant = Variant { levels: Levels::WARNING, evidence: Evidence::Reported, ..Variant::BASE };

/// Why lines are not renumbered in place.
pub const COPY: &str = "other files refer to the lines of a paginated rollout; `replaylint fix --install FILE` writes a copy that Codex can resume";

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    report_faults(cx, RULE.code, COPY, out, |wrong| match wrong {
        OrdinalProblem::Skipped => Some(0),
        OrdinalProblem::Repeated => Some(1),
        OrdinalProblem::Missing => Some(2),
        OrdinalProblem::MissingAtEnd => Some(3),
        OrdinalProblem::NoHeader | OrdinalProblem::OtherOrigin => None,
    });
}

/// Reports the ordinal faults that are variants of a rule. `why` is the reason for no fix.
pub fn report_faults(
    cx: &RuleContext<'_>,
    code: Code,
    why: &'static str,
    out: &mut FindingSink,
    variant: impl Fn(OrdinalProblem) -> Option<u8>,
) {
    let faults = cx.history.settings.ordinals.iter().flat_map(|numbered| &numbered.faults);
    for (OrdinalFault { at, record, expected, .. }, variant) in
        faults.filter_map(|fault| Some((fault, variant(fault.problem)?)))
    {
        let row = Row::of_place(*at, *record);
        let expected = u32::try_from(*expected).unwrap_or(u32::MAX);
        out.add(Finding::new(code, row).variant(variant).arg(expected).never(why));
    }
}
