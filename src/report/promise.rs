//! What a check may promise: what `fix` with the same flags does, found out by planning it. A fix that would be refused,
//! or that would leave as many errors, is none.

use std::collections::HashMap;
use std::io;

use crate::fix::{self, FixOptions, Fixed};
use crate::history::Code;
use crate::judge::{self, Judged, JudgedDoc, Options};
use crate::place::{DocId, Pieces};
use crate::source::ReadAt;
use crate::target::Severity;

use super::{Diagnostic, FixNote, proposal};

const WITH_ANOTHER: &str = "fixed together with another finding";
const REMAINS: &str = "no fix was found that resolves it";

/// Plans the default repair of a doc, so that nothing is promised that `fix` would not do; gives the number of findings
/// that are gone after it. `proposes` says whether the diagnostics also get what it would put in place of what, and
/// whether that may show content.
pub fn plan(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &JudgedDoc<()>,
    options: &Options,
    threads: usize,
    proposes: Option<bool>,
    diagnostics: &mut [Diagnostic],
) -> io::Result<u64> {
    let repairs = |target| found.format.is_some_and(|format| judge::speaks(format.info(), target));
    if !found.judged.iter().any(Judged::is_fixed_by_default) {
        return Ok(0);
    }
    if !options.target.is_none_or(repairs) {
        // What another dialect would take is made by `convert`, not by `fix`.
        diagnostics.iter_mut().for_each(|diagnostic| diagnostic.fix = None);
        return Ok(0);
    }
    let fixed = fix::fix(id, bytes, options, &FixOptions::default(), threads)?;
    if let Some(show_content) = proposes {
        proposal::propose(id, bytes, &fixed, show_content, diagnostics)?;
    }
    Ok(keep(&fixed, bytes.len(), diagnostics))
}

/// Takes back the fixes that the default repair does not make. `diagnostics` are those of `fixed.before`, in order. Gives
/// the number of errors and warnings that are gone after the repair.
pub fn keep(fixed: &Fixed, total: u64, diagnostics: &mut [Diagnostic]) -> u64 {
    let doc = fixed.before.judged.first().map(|judged| judged.finding.row.at.doc);
    let pieces = doc.map(|doc| Pieces::new(fixed.patch.edits(doc), doc, total));
    let counts = |judged: &&Judged| judged.severity > Severity::Info;
    let mut left: HashMap<(Code, u64), Option<&'static str>> = HashMap::new();
    let why_not = fixed.reasons();
    for judged in &fixed.left().judged {
        let at = judged.finding.row.at;
        let at = pieces.as_ref().filter(|_| fixed.after.is_some()).map_or(at, |pieces| pieces.original(at));
        left.insert((judged.finding.code, at.start), why_not(judged));
    }
    for (judged, diagnostic) in fixed.before.judged.iter().zip(diagnostics) {
        let remains = left.get(&(judged.finding.code, judged.finding.row.at.start));
        if let (Some(why), true) = (remains, judged.is_fixed_by_default()) {
            diagnostic.fix = None;
            diagnostic.no_fix = Some(why.unwrap_or(REMAINS));
        }
        // It needs no fix or flag of its own where it goes with what is repaired anyway.
        if remains.is_none() && diagnostic.fix.as_ref().is_none_or(|fix| !fix.default) {
            diagnostic.no_fix = None;
            let title = WITH_ANOTHER.to_owned();
            diagnostic.fix = Some(FixNote { title, loss: judged.loss, default: true, flag: None });
        }
    }
    let had = fixed.before.judged.iter().filter(counts).count();
    let has = fixed.left().judged.iter().filter(counts).count();
    had.saturating_sub(has) as u64
}
