//! RL685: a RunState has an unknown version.

use crate::history::{Finding, Row};
use crate::rule::{Check, Evidence, FindingSink, RuleContext, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Reports an unknown `$schemaVersion` in a RunState of the OpenAI Agents SDK. Known are 1.0 to 1.17 for Python and
    /// 1.0 to 1.20 for JavaScript.
    ///
    /// ## Why it matters
    ///
    /// The input and the generated items are read as in the known versions. If a later version also stores items
    /// elsewhere, the checked history lacks them.
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
    /// Documented: `run_state.py` and `runState.ts` of the SDKs list their versions, and reject others.
    UNKNOWN_VERSION, "unknown-version", Check::History(check),
    [
        Variant {
            message: "unknown RunState version; only the parts it shares with known versions are read",
            levels: Levels::INFO,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
    ]
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    if let Some(at) = cx.history.settings.unknown_version {
        out.add(Finding::new(RULE.code, Row::of_place(at, 0)).never("its meaning is not known"));
    }
}
