//! Writing databases, in builds without the feature `sqlite`.

use std::io;
use std::path::Path;

use crate::source::outputs::commit::{CommitError, ReplaceOptions, ReplaceOutcome};

use super::cells::CellChange;
use super::key::HistoryKey;

const UNSUPPORTED: &str = "this build cannot write SQLite databases";

pub fn refusal(path: &Path, _: &[(&HistoryKey, Vec<CellChange>)]) -> io::Result<Option<CommitError>> {
    Ok(Some(unsupported(path)))
}

pub fn write(
    path: &Path,
    _: &[(&HistoryKey, Vec<CellChange>)],
    _: &ReplaceOptions,
) -> Result<ReplaceOutcome, CommitError> {
    Err(unsupported(path))
}

fn unsupported(path: &Path) -> CommitError {
    CommitError::Database { path: path.to_owned(), why: UNSUPPORTED.to_owned() }
}

pub fn in_use(_: &Path) -> Option<String> {
    Some(UNSUPPORTED.to_owned())
}
