//! RL685: a RunState has a version that is not known.

use crate::history::{Finding, Row};
use crate::rule::{Check, Cx, Evidence, Out, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Notes that the `$schemaVersion` of a RunState of the OpenAI Agents SDK is none of those that are known: 1.0 to
    /// 1.17 of the SDK for Python, 1.0 to 1.20 of that for JavaScript.
    ///
    /// ## Why it matters
    ///
    /// The input and the generated items are read as in the versions that are known. If a later version stores items
    /// elsewhere, too, the history that is checked here misses them.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"$schemaVersion":"2.0","original_input":"hi","generated_items":[]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None needed.
    ///
    /// ## Evidence
    ///
    /// Documented: `run_state.py` and `runState.ts` of the SDKs list their versions, and refuse others.
    UNKNOWN_VERSION, "unknown-version", Check::History(check),
    [
        Variant {
            message: "the version of this RunState is not a known one; it is read as far as it is like those",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &Cx<'_>, out: &mut Out) {
    if let Some(at) = cx.history.settings.unknown_version {
        out.add(Finding::new(RULE.code, Row::of_place(at, 0)).never("its meaning is not known"));
    }
}
