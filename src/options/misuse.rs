//! What cannot be done because of how it was asked for.

use crate::source::display_name;

/// Something that was asked for and does not exist or does not fit.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Misuse {
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Misuse {
    /// `message` is one line. What it quotes of arguments and files may be anything, and is made printable.
    pub fn new(message: impl Into<String>) -> Self {
        Misuse { message: display_name(&message.into()).into_owned(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(display_name(&help.into()).into_owned());
        self
    }
}
