//! How a run ends.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::options::Misuse;
use crate::report::words::{count, grouped};
use crate::source::display_path;
use crate::source::outputs::commit::CommitError;

/// How a run ended. The worst of several holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    Clean,
    /// Something was found, or left, or differs.
    Found,
    /// The job could not be done.
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
    Misuse(#[from] Misuse),
    #[error("{0}")]
    Output(#[from] io::Error),
    /// A file that its program may still be writing to: the same may hold for all files of a run.
    #[error("{}", CommitError::Fresh(.0.clone()))]
    Fresh(PathBuf),
}

impl Failure {
    /// Nobody reads on.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// A file that could not be written.
pub(in crate::commands) fn unwritten(error: CommitError) -> Failure {
    match error {
        CommitError::Fresh(path) => Failure::Fresh(path),
        error => Misuse::new(error.to_string()).into(),
    }
}

/// As many files are named.
const NAMED: usize = 3;

/// What is said of all files together that their programs may still be writing to.
pub(in crate::commands) fn fresh_in_words(files: &[PathBuf]) -> Option<String> {
    let (first, rest) = files.split_first()?;
    if rest.is_empty() {
        return Some(CommitError::Fresh(first.clone()).to_string());
    }
    let named: Vec<String> = files.iter().take(NAMED).map(|path| display_path(path)).collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more as u64)),
    };
    Some(format!(
        "{} were modified in the last 10 seconds and may still be in use; nothing was written to them (--force \
         overrides): {}{more}",
        count(files.len() as u64, "file"),
        named.join(", ")
    ))
}
