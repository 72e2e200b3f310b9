//! Writing, in a build without databases.

use std::io;
use std::path::{Path, PathBuf};

use crate::source::outputs::commit::{CommitError, Replace};

use super::cells::Changed;
use super::key::Key;

pub fn refusal(path: &Path, _: &[(&Key, Vec<Changed>)]) -> io::Result<Option<CommitError>> {
    Ok(Some(unsupported(path)))
}

pub fn write(path: &Path, _: &[(&Key, Vec<Changed>)], _: Replace) -> Result<Option<PathBuf>, CommitError> {
    Err(unsupported(path))
}

fn unsupported(path: &Path) -> CommitError {
    CommitError::Database { path: path.to_owned(), why: "this build writes no SQLite databases".to_owned() }
}
