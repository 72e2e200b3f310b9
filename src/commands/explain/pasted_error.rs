//! The input of `explain --error`.

use std::path::PathBuf;

use crate::options::LintSettings;
use crate::report::ContentDisplay;

/// A pasted error message, and the file that it is about.
pub struct PastedError {
    pub text: String,
    pub path: Option<PathBuf>,
    pub lints: LintSettings,
    pub content: ContentDisplay,
}
