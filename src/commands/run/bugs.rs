//! Bugs of ours that show in a run: they are reported, the run goes on, and in the end it has failed.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::source::{bug, display_name};

use super::notice::complain;
use super::outcome::Outcome;

/// A bug was reported.
static MET: AtomicBool = AtomicBool::new(false);

/// Reports a bug that showed in a file.
pub(in crate::commands) fn report(label: &str, what: &dyn std::fmt::Display) {
    MET.store(true, Ordering::Relaxed);
    complain(&format!("{}: {what}", display_name(label)));
}

/// Does something with a file; `None` if a bug shows, which is reported.
pub(in crate::commands) fn caught<R>(label: &str, run: impl FnOnce() -> R) -> Option<R> {
    bug::caught(run).map_err(|bug| report(label, &bug)).ok()
}

/// Whether a bug was reported: the run has not done all of its job.
pub(in crate::commands) fn met() -> bool {
    MET.load(Ordering::Relaxed)
}

/// Runs a command. A bug that shows outside of a single file ends it.
pub fn guarded<E>(run: impl FnOnce() -> Result<Outcome, E>) -> Result<Outcome, E> {
    bug::hush();
    match bug::caught(run) {
        Ok(Ok(_)) if met() => Ok(Outcome::Failed),
        Ok(done) => done,
        Err(bug) => {
            complain(&bug.to_string());
            Ok(Outcome::Failed)
        }
    }
}
