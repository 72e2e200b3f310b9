//! RL651: the ordinals of a paginated rollout do not rise by one.

use crate::history::numbered::{Fault, Wrong};
use crate::history::{Code, Finding, Row};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Finds a line of a paginated Codex rollout (`history_mode` is `paginated`) whose `ordinal` is not one more than
    /// that of the line before it, or is missing.
    ///
    /// ## Why it matters
    ///
    /// Codex refuses such a thread when it is resumed:
    ///
    /// > paginated rollout expected ordinal 12
    ///
    /// and, for a last line without an ordinal, "final paginated rollout record … is missing an ordinal". A duplicate
    /// freezes the view of the history. A line was removed, copied or written twice, often by another program that edits
    /// sessions.
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
    /// None in the file: other rollouts and Codex's index point at its ordinals and offsets, and a number may be longer than
    /// the one that it replaces. `replaylint fix -o DIR FILE` writes a copy without ordinals, under a new id, that Codex can resume.
    ///
    /// ## Evidence
    ///
    /// Source of Codex, August 2026. Reported: openai/codex#41566, #35746.
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

const LINE: Variant = Variant { levels: Levels::ERROR, evidence: Evidence::Reported, ..Variant::BASE };

/// Why nothing is renumbered in place.
pub const COPY: &str = "other files point at the lines of a paginated rollout; `replaylint fix -o repaired/ FILE` writes a copy that Codex can resume";

fn check(cx: &Cx<'_>, out: &mut Out) {
    each(cx, RULE.code, COPY, out, |wrong| match wrong {
        Wrong::Skipped => Some(0),
        Wrong::Repeated => Some(1),
        Wrong::Missing => Some(2),
        Wrong::MissingAtEnd => Some(3),
        Wrong::NoHeader | Wrong::OtherOrigin => None,
    });
}

/// Raises the faults of the lines' numbers that are variants of a rule, and why there is no fix.
pub fn each(cx: &Cx<'_>, code: Code, why: &'static str, out: &mut Out, variant: impl Fn(Wrong) -> Option<u8>) {
    let faults = cx.history.settings.numbered.iter().flat_map(|numbered| &numbered.faults);
    for (Fault { at, record, expected, .. }, variant) in
        faults.filter_map(|fault| Some((fault, variant(fault.wrong)?)))
    {
        let row = Row::of_place(*at, *record);
        let expected = u32::try_from(*expected).unwrap_or(u32::MAX);
        out.add(Finding::new(code, row).variant(variant).arg(expected).never(why));
    }
}
