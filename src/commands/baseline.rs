//! `baseline`: writes the current findings to a file, checks against it, and removes stale entries.

use std::io::{self, Write};
use std::path::Path;

use foldhash::HashSet;

use crate::report::words::count;
use crate::source::{display_name, display_path};

use super::check::check_all;
use super::run::known_findings::{Baseline, BaselineEntry};
use super::{Failure, Outcome, Run, print_error};

/// Default name of a baseline file.
pub const BASELINE: &str = crate::source::inputs::walk::BASELINE;

/// Writes all current findings to the baseline.
pub fn write(mut run: Run, path: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    // An existing file that is not a baseline is not overwritten.
    if path.exists() {
        Baseline::read(path)?;
    }
    let mut baseline = Baseline::from_entries(path, Vec::new());
    let outcome = find(&mut run, &mut baseline)?;
    if outcome == Outcome::Failed {
        return Ok(outcome);
    }
    let entries = std::mem::take(&mut baseline.new);
    let findings = count(entries.len() as u64, "finding");
    let files = count(baseline.save(entries)? as u64, "file");
    writeln!(out, "Wrote {}: {findings} in {files}.", display_path(path))?;
    Ok(Outcome::Clean)
}

/// Reports new findings and stale entries.
pub fn check(run: &Run, path: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut baseline = Baseline::read(path)?;
    let outcome = check_all(run, Some(&mut baseline), out)?;
    out.flush()?;
    let stale = baseline.stale();
    for entry in &stale {
        print_error(&format!(
            "{}: stale baseline entry: {} is no longer found",
            display_name(&entry.path),
            entry.rule
        ));
    }
    Ok(outcome.max(run.outcome(false, !stale.is_empty())))
}

/// Removes stale entries.
pub fn prune(mut run: Run, path: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut baseline = Baseline::read(path)?;
    let outcome = find(&mut run, &mut baseline)?;
    if outcome == Outcome::Failed {
        return Ok(outcome);
    }
    let stale: HashSet<BaselineEntry> = baseline.stale().into_iter().cloned().collect();
    let remaining: Vec<BaselineEntry> =
        baseline.entries.iter().filter(|entry| !stale.contains(entry)).cloned().collect();
    let (removed, kept) = (count(stale.len() as u64, "stale entry"), remaining.len());
    baseline.save(remaining)?;
    writeln!(out, "Removed {removed} from {}; {kept} remaining.", display_path(path))?;
    Ok(Outcome::Clean)
}

/// Checks all inputs without printing a report.
fn find(run: &mut Run, baseline: &mut Baseline) -> Result<Outcome, Failure> {
    run.outputs.clear();
    check_all(run, Some(baseline), &mut io::sink())
}
