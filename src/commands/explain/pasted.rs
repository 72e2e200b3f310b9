//! What `explain --error` was asked for.

use std::path::PathBuf;

use crate::options::Lints;
use crate::report::Content;

/// An error that was pasted, and the file that it is said of.
pub struct Pasted {
    pub text: String,
    pub path: Option<PathBuf>,
    pub lints: Lints,
    pub content: Content,
}
