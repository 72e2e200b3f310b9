//! Reading databases, in builds without the feature `sqlite`.

use std::io;
use std::path::Path;

use crate::source::bytes::hints::UnreadReason;

use super::cells::HistoryCells;
use super::key::HistoryKey;

pub fn histories(_: &Path) -> io::Result<Result<Vec<HistoryKey>, UnreadReason>> {
    Ok(Err(UnreadReason::Unsupported))
}

pub fn open(_: &Path, _: &HistoryKey) -> io::Result<Result<HistoryCells, UnreadReason>> {
    Ok(Err(UnreadReason::Unsupported))
}
