//! Settings of config files for findings: some are accepted, others get another severity. A severity does not change what
//! `fix` does about a finding.

use std::borrow::Cow;
use std::io;

use crate::convert;
use crate::judge::Options;
use crate::options::{EffectiveOptions, Waiver, matches};
use crate::repair::{AcceptedFinding, FixOptions};
use crate::report::{ContentDisplay, Diagnostic, diagnose, mask};
use crate::rules;
use crate::source::Doc;
use crate::source::inputs::globs::absolute;

use crate::commands::Run;

/// Applies the settings to the findings of a document. Removes accepted findings, and returns their number.
pub(in crate::commands) fn apply_overrides(run: &Run, label: &str, diagnostics: &mut Vec<Diagnostic>) -> u64 {
    if diagnostics.is_empty() {
        return 0;
    }
    let effective = run.lints.effective(label);
    let before = diagnostics.len();
    diagnostics.retain(|diagnostic| !is_accepted(&effective, label, diagnostic));
    for diagnostic in diagnostics.iter_mut() {
        if let Some(severity) = effective.severity(diagnostic.rule) {
            diagnostic.severity = severity;
        }
    }
    (before - diagnostics.len()) as u64
}

fn is_accepted(effective: &EffectiveOptions<'_>, label: &str, diagnostic: &Diagnostic) -> bool {
    // Every matching entry is marked as used.
    let matching = effective.waivers().iter().filter(|waiver| matches_waiver(waiver, label, diagnostic));
    matching.inspect(|waiver| waiver.mark_used()).count() > 0
}

fn matches_waiver(waiver: &Waiver, label: &str, diagnostic: &Diagnostic) -> bool {
    let of_path = waiver.path.as_ref().is_none_or(|path| path.is_match(&absolute(label.as_ref())));
    let of_rule = || rules::by_code(diagnostic.rule).is_some_and(|rule| matches(&waiver.rule, rule));
    let of_id = || waiver.id.as_ref().is_none_or(|id| diagnostic.identity.matches(id));
    // The entry may contain the pointer as it is printed, masked.
    let at = &diagnostic.location.pointer;
    let of_pointer = || waiver.pointer.as_ref().is_none_or(|own| own == at || mask::pointer(own) == *at);
    of_path && of_rule() && of_id() && of_pointer()
}

/// The options of a repair that ignores the accepted findings of a document.
pub(in crate::commands) fn with_accepted_findings<'o>(
    run: &Run,
    doc: &Doc,
    options: &Options,
    wanted: &'o FixOptions,
    threads: usize,
) -> io::Result<Cow<'o, FixOptions>> {
    let effective = run.lints.effective(&doc.label);
    if effective.waivers().is_empty() {
        return Ok(Cow::Borrowed(wanted));
    }
    let found = convert::check(doc.id, &*doc.bytes, options, threads)?;
    let diagnostics = diagnose(doc.id, &doc.label, &*doc.bytes, &found, ContentDisplay::None)?;
    let pairs = diagnostics.iter().zip(&found.findings);
    let accepted = pairs.filter(|(diagnostic, _)| is_accepted(&effective, &doc.label, diagnostic));
    let accepted: Vec<AcceptedFinding> =
        accepted.map(|(_, judged)| AcceptedFinding::of(&judged.finding)).collect();
    Ok(if accepted.is_empty() {
        Cow::Borrowed(wanted)
    } else {
        Cow::Owned(FixOptions { accepted, ..wanted.clone() })
    })
}
