//! Why something could not be done at all.

use std::io;

use crate::options::Misuse;
use crate::source::bug::Bug;

/// Why a document could not be judged, or an option not be set. What is wrong in a document is no error of this kind, but
/// a [`Diagnostic`](crate::report::contract::Diagnostic).
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    message: String,
    help: Option<String>,
}

impl Error {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Error { message: message.into(), help: None }
    }

    pub(super) fn with_help(self, help: impl Into<String>) -> Self {
        Error { help: Some(help.into()), ..self }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<Misuse> for Error {
    fn from(misuse: Misuse) -> Self {
        Error { message: misuse.message, help: misuse.help }
    }
}

impl From<Bug> for Error {
    fn from(bug: Bug) -> Self {
        Error::new(bug.to_string())
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::new(error.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error::new(error.to_string())
    }
}
