//! `baseline`: writes down what is found, compares with it, and takes out what is gone.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use crate::report::words::count;
use crate::source::{display_name, display_path};

use super::check::check_all;
use super::run::known_findings::{Baseline, Entry};
use super::{Failure, Outcome, Run, complain};

/// Where a baseline is, unless another file is named.
pub const BASELINE: &str = crate::source::inputs::walk::BASELINE;

/// Writes down all that is found now.
pub fn write(mut run: Run, path: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    // What is there may be something else that a user wants to keep.
    if path.exists() {
        Baseline::read(path)?;
    }
    let mut baseline = Baseline::of(path, Vec::new());
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

/// Reports what is new, and what the baseline lists and is gone.
pub fn check(run: &Run, path: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut baseline = Baseline::read(path)?;
    let outcome = check_all(run, Some(&mut baseline), out)?;
    out.flush()?;
    let stale = baseline.stale();
    for entry in &stale {
        complain(&format!("{}: {} of the baseline is no longer found", display_name(&entry.path), entry.rule));
    }
    Ok(outcome.max(run.outcome(false, !stale.is_empty())))
}

/// Takes out what is gone.
pub fn prune(mut run: Run, path: &Path, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut baseline = Baseline::read(path)?;
    let outcome = find(&mut run, &mut baseline)?;
    if outcome == Outcome::Failed {
        return Ok(outcome);
    }
    let stale: HashSet<Entry> = baseline.stale().into_iter().cloned().collect();
    let left: Vec<Entry> = baseline.entries.iter().filter(|entry| !stale.contains(entry)).cloned().collect();
    let (removed, kept) = (count(stale.len() as u64, "entry"), left.len());
    baseline.save(left)?;
    writeln!(out, "Removed {removed} from {}; {kept} left.", display_path(path))?;
    Ok(Outcome::Clean)
}

/// Finds without reporting.
fn find(run: &mut Run, baseline: &mut Baseline) -> Result<Outcome, Failure> {
    run.outputs.clear();
    check_all(run, Some(baseline), &mut io::sink())
}
