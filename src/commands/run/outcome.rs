//! How a run ends.

use std::io;
use std::process::ExitCode;

use crate::options::Misuse;
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
}

impl Failure {
    /// Nobody reads on.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// A file that could not be written.
pub(in crate::commands) fn unwritten(error: CommitError) -> Failure {
    Misuse::new(error.to_string()).into()
}
