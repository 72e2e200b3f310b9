//! What a config file says about findings, once they are found: severities of its own. They change what a finding counts
//! as, and not what `fix` does about it: a fix is as safe as it was.

use crate::report::Diagnostic;

use super::Run;

/// Puts into the findings of a doc what holds for it.
pub(super) fn settle(run: &Run, label: &str, diagnostics: &mut [Diagnostic]) {
    let held = run.lints.in_force(label);
    for diagnostic in diagnostics {
        if let Some(severity) = held.severity(diagnostic.rule) {
            diagnostic.severity = severity;
        }
    }
}
