//! Findings about the end of a doc: truncated text, or a last line without a line end.

use std::io;

use crate::format::Format;
use crate::history::codes::truncated_last_line::COMPRESSED;
use crate::history::finding::RepairAct;
use crate::history::{Finding, Remedy, Row, codes};
use crate::place::{DocId, Place};
use crate::source::ReadAt;

/// True if nothing would be appended to the last line: it ends in a newline, or there is none. NUL bytes after it are a
/// finding of their own.
pub(super) fn has_newline(bytes: &dyn ReadAt) -> io::Result<bool> {
    let Some(end) = bytes.len().checked_sub(1) else { return Ok(true) };
    let mut last = [b'\n'];
    bytes.read_at(end, &mut last)?;
    Ok(matches!(last[0], b'\n' | 0))
}

/// The compressed file is truncated, between two records or within the only one.
pub(super) fn truncated_file(id: DocId, bytes: &dyn ReadAt) -> Finding {
    let end = Row::of_place(Place::new(id, bytes.len(), 0), 0);
    Finding::new(codes::TRUNCATED_LAST_LINE, end).variant(COMPRESSED).never("the rest of the text is not known")
}

/// The last line of a store has no line end, so that the next line would be appended to it.
pub(super) fn missing_newline(
    id: DocId,
    bytes: &dyn ReadAt,
    format: &'static dyn Format,
    records: u32,
) -> io::Result<Option<Finding>> {
    if !format.info().is_appended || has_newline(bytes)? {
        return Ok(None);
    }
    let end = Row::of_place(Place::new(id, bytes.len(), 0), records.saturating_sub(1));
    Ok(Some(Finding::new(codes::MISSING_LAST_NEWLINE, end).remedy(Remedy::One(RepairAct::RepairText))))
}
