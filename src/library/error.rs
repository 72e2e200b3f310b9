//! Errors of the library.

use std::io;

use crate::options::UsageError;
use crate::source::bug::Bug;

/// A document could not be processed, or an option is invalid. Problems in a document are not errors of this kind, but
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

    /// A hint how to correct it; `None` if there is none.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<UsageError> for Error {
    fn from(usage_error: UsageError) -> Self {
        Error { message: usage_error.message, help: usage_error.help }
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
