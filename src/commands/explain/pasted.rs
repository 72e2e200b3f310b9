//! What `explain --error` was asked for.

use std::path::PathBuf;

use crate::options::Lints;
use crate::report::Content;
use crate::target::Target;

/// An error that was pasted, and the file that it is said of.
pub struct Pasted {
    pub text: String,
    pub path: Option<PathBuf>,
    pub lints: Lints,
    pub content: Content,
}

/// The flag that names a target, for a command line.
pub(super) fn flag(target: Option<&Target>) -> String {
    target.map(|target| format!(" --target {}", target.name)).unwrap_or_default()
}
