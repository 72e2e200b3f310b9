//! A build without databases.

use std::io;
use std::path::{Path, PathBuf};

use crate::source::commit::{CommitError, Replace};
use crate::source::known::NotRead;

use super::cells::{Cells, Changed};
use super::key::Key;

pub fn histories(_: &Path) -> io::Result<Result<Vec<Key>, NotRead>> {
    Ok(Err(NotRead::Unsupported))
}

pub fn open(_: &Path, _: &Key) -> io::Result<Result<Cells, NotRead>> {
    Ok(Err(NotRead::Unsupported))
}

pub fn write(path: &Path, _: &[(&Key, Vec<Changed>)], _: Replace) -> Result<Option<PathBuf>, CommitError> {
    Err(CommitError::Database { path: path.to_owned(), why: "this build writes no SQLite databases".to_owned() })
}
