//! Errors in the use of the program: invalid arguments, options or settings.

use crate::source::display_name;

/// An invalid argument, option or setting.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct UsageError {
    pub message: String,
    /// A hint how to correct it.
    pub help: Option<String>,
}

impl UsageError {
    /// `message` is one line. Quoted arguments and names of files are made printable.
    pub fn new(message: impl Into<String>) -> Self {
        UsageError { message: display_name(&message.into()).into_owned(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(display_name(&help.into()).into_owned());
        self
    }
}
