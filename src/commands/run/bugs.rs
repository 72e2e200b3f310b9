//! Panics of this program during a run: each is reported, the run continues, and exits with a failure.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::source::{bug, display_name};

use super::notice::print_error;
use super::outcome::Outcome;

/// True once a bug was reported.
static REPORTED: AtomicBool = AtomicBool::new(false);

/// Reports a bug that occurred with a file.
pub(in crate::commands) fn report(label: &str, what: &dyn std::fmt::Display) {
    REPORTED.store(true, Ordering::Relaxed);
    print_error(&format!("{}: {what}", display_name(label)));
}

/// Runs `run` on a file; `None` after a panic, which is reported.
pub(in crate::commands) fn catch<R>(label: &str, run: impl FnOnce() -> R) -> Option<R> {
    bug::catch_panic(run).map_err(|bug| report(label, &bug)).ok()
}

/// True if a bug was reported, so that the run is incomplete.
pub(in crate::commands) fn any_reported() -> bool {
    REPORTED.load(Ordering::Relaxed)
}

/// Runs a command. A panic outside of a single file ends it.
pub fn run_guarded<E>(run: impl FnOnce() -> Result<Outcome, E>) -> Result<Outcome, E> {
    bug::silence_panics();
    match bug::catch_panic(run) {
        Ok(Ok(_)) if any_reported() => Ok(Outcome::Failed),
        Ok(done) => done,
        Err(bug) => {
            print_error(&bug.to_string());
            Ok(Outcome::Failed)
        }
    }
}
