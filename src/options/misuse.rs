//! What cannot be done because of how it was asked for.

/// Something that was asked for and does not exist or does not fit.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Misuse {
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Misuse {
    pub fn new(message: impl Into<String>) -> Self {
        Misuse { message: message.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
