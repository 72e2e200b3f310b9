//! What a config file says about findings, once they are found: some are accepted, and some count as something else.
//! A severity changes what a finding counts as, and not what `fix` does about it: a fix is as safe as it was.

use std::borrow::Cow;
use std::io;

use crate::convert;
use crate::judge::Options;
use crate::options::{InForce, Waiver, matches};
use crate::repair::{Accepted, FixOptions};
use crate::report::{Content, Diagnostic, diagnose, mask};
use crate::rules;
use crate::source::Doc;
use crate::source::inputs::globs::absolute;

use crate::commands::Run;

/// Puts into the findings of a doc what holds for it. Gives how many are accepted, which are gone.
pub(in crate::commands) fn settle(run: &Run, label: &str, diagnostics: &mut Vec<Diagnostic>) -> u64 {
    let held = run.lints.in_force(label);
    let before = diagnostics.len();
    diagnostics.retain(|diagnostic| !is_accepted(&held, label, diagnostic));
    for diagnostic in diagnostics.iter_mut() {
        if let Some(severity) = held.severity(diagnostic.rule) {
            diagnostic.severity = severity;
        }
    }
    (before - diagnostics.len()) as u64
}

fn is_accepted(held: &InForce<'_>, label: &str, diagnostic: &Diagnostic) -> bool {
    // Each entry learns whether it is of any use, so all are asked.
    let fitting = held.waivers().iter().filter(|waiver| fits(waiver, label, diagnostic));
    fitting.inspect(|waiver| waiver.use_it()).count() > 0
}

fn fits(waiver: &Waiver, label: &str, diagnostic: &Diagnostic) -> bool {
    let of_path = waiver.path.as_ref().is_none_or(|path| path.is_match(&absolute(label.as_ref())));
    let of_rule = || rules::by_code(diagnostic.rule).is_some_and(|rule| matches(&waiver.rule, rule));
    let of_id = || waiver.id.as_ref().is_none_or(|id| diagnostic.identity.is(id));
    // Whoever writes it down may have seen the pointer as it is masked.
    let at = &diagnostic.spot.pointer;
    let of_pointer = || waiver.pointer.as_ref().is_none_or(|own| own == at || mask::pointer(own) == *at);
    of_path && of_rule() && of_id() && of_pointer()
}

/// The options of a repair that leaves the accepted findings of a doc as they are.
pub(in crate::commands) fn accepting<'o>(
    run: &Run,
    doc: &Doc,
    options: &Options,
    wanted: &'o FixOptions,
    threads: usize,
) -> io::Result<Cow<'o, FixOptions>> {
    let held = run.lints.in_force(&doc.label);
    if held.waivers().is_empty() {
        return Ok(Cow::Borrowed(wanted));
    }
    let found = convert::check(doc.id, &*doc.bytes, options, threads)?;
    let told = diagnose(doc.id, &doc.label, &*doc.bytes, &found, Content::None)?;
    let pairs = told.iter().zip(&found.judged);
    let accepted = pairs.filter(|(told, _)| is_accepted(&held, &doc.label, told));
    let accepted: Vec<Accepted> = accepted.map(|(_, judged)| Accepted::of(&judged.finding)).collect();
    Ok(if accepted.is_empty() {
        Cow::Borrowed(wanted)
    } else {
        Cow::Owned(FixOptions { accepted, ..wanted.clone() })
    })
}
