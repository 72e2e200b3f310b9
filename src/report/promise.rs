//! What a check may promise: what `fix` with the same flags does, found out by planning it. A fix that would be refused,
//! or that would leave as many errors, is none.

use std::io;

use crate::fix::{self, FixOptions};
use crate::judge::{self, Judged, JudgedDoc, Options};
use crate::place::DocId;
use crate::source::ReadAt;

pub use super::kept::keep;
use super::{Diagnostic, narrow, proposal};

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
    if proposes.is_none()
        && let Some(gone) = narrow::plan(id, bytes, found, options, threads, diagnostics)?
    {
        return Ok(gone);
    }
    let fixed = fix::fix(id, bytes, options, &FixOptions::default(), threads)?;
    if let Some(show_content) = proposes {
        proposal::propose(id, bytes, &fixed, show_content, diagnostics)?;
    }
    Ok(keep(&fixed, bytes.len(), diagnostics))
}
