//! Writing, in a build without databases.

use std::io;
use std::path::Path;

use crate::source::outputs::commit::{CommitError, Replace, Replaced};

use super::cells::Changed;
use super::key::Key;

const UNSUPPORTED: &str = "this build writes no SQLite databases";

pub fn refusal(path: &Path, _: &[(&Key, Vec<Changed>)]) -> io::Result<Option<CommitError>> {
    Ok(Some(unsupported(path)))
}

pub fn write(path: &Path, _: &[(&Key, Vec<Changed>)], _: Replace) -> Result<Replaced, CommitError> {
    Err(unsupported(path))
}

fn unsupported(path: &Path) -> CommitError {
    CommitError::Database { path: path.to_owned(), why: UNSUPPORTED.to_owned() }
}

pub fn in_use(_: &Path) -> Option<String> {
    Some(UNSUPPORTED.to_owned())
}
