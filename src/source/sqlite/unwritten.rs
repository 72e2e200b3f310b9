//! Writing, in a build without databases.

use std::path::{Path, PathBuf};

use crate::source::commit::{CommitError, Replace};

use super::cells::Changed;
use super::key::Key;

pub fn write(path: &Path, _: &[(&Key, Vec<Changed>)], _: Replace) -> Result<Option<PathBuf>, CommitError> {
    Err(CommitError::Database { path: path.to_owned(), why: "this build writes no SQLite databases".to_owned() })
}
