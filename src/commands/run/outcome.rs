//! The outcome of a run, and its exit code.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::options::UsageError;
use crate::report::words::{count, group_digits};
use crate::source::display_path;
use crate::source::outputs::commit::CommitError;

/// The outcome of a run. The maximum of several outcomes applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    Clean,
    /// Errors were found or remain, or files differ.
    Found,
    /// The run failed or is incomplete.
    Failed,
}

impl Outcome {
    pub fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Outcome::Clean => 0,
            Outcome::Found => 1,
            Outcome::Failed => 2,
        })
    }
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error("{0}")]
    Output(#[from] io::Error),
    /// A file was just modified, so that its program may still be writing to it. Others of the run may be as well.
    #[error("{}", CommitError::RecentlyModified(.0.clone()))]
    RecentlyModified(PathBuf),
}

impl Failure {
    /// True if the reader has closed the pipe.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// The failure to write a file.
pub(in crate::commands) fn commit_failure(error: CommitError) -> Failure {
    match error {
        CommitError::RecentlyModified(path) => Failure::RecentlyModified(path),
        error => UsageError::new(error.to_string()).into(),
    }
}

/// Maximum number of files that are listed.
const MAX_LISTED_FILES: usize = 3;

/// The first of some files or folders, and the number of the others.
pub(in crate::commands) fn list_paths(paths: &[PathBuf]) -> String {
    let named: Vec<String> = paths.iter().take(MAX_LISTED_FILES).map(|path| display_path(path)).collect();
    match paths.len().saturating_sub(MAX_LISTED_FILES) {
        0 => named.join(", "),
        more => format!("{} and {} more", named.join(", "), group_digits(more as u64)),
    }
}

/// One message about all files that were just modified; `None` if there are none.
pub(in crate::commands) fn recently_modified_message(files: &[PathBuf]) -> Option<String> {
    let (first, rest) = files.split_first()?;
    if rest.is_empty() {
        return Some(CommitError::RecentlyModified(first.clone()).to_string());
    }
    Some(format!(
        "{} were modified in the last 10 seconds and may still be in use; nothing was written to them (--force \
         overrides): {}",
        count(files.len() as u64, "file"),
        list_paths(files)
    ))
}
