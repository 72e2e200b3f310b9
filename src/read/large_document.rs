//! Detecting the format of a document that is too large to be scanned at once.

use std::io;

use crate::format::Format;
use crate::json::{Tape, scan};
use crate::place::DocId;
use crate::source::ReadAt;
use crate::source::split::{DocumentPiece, SplitError, split};

use super::{Options, detect};

/// Detects the format from the beginning of a document up to the first element of each of its arrays.
pub(super) fn detect_format(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    options: &Options,
) -> io::Result<Option<&'static dyn Format>> {
    let mut found = None;
    let mut failed = None;
    let mut text = Vec::new();
    let mut probe = Tape::new();
    let done = split(bytes, id, start, options.max_record, |piece, _| {
        let DocumentPiece::Element { section, index: 0, bytes: element, base } = piece else { return true };
        let end = base.offset(0) + element.len() as u64;
        if end - start > 64 << 20 {
            return false;
        }
        if let Err(error) = bytes.read_into(start, (end - start) as usize, &mut text) {
            failed = Some(error);
            return false;
        }
        text.extend_from_slice(if section.is_empty() { b"]" } else { b"]}" });
        if scan(&text, &mut probe).is_ok() {
            found = probe.root(&text).and_then(|val| detect::of_document(val, options.dialect));
        }
        found.is_none()
    });
    match (failed, done) {
        (Some(error), _) | (None, Err(SplitError::Io(error))) => Err(error),
        _ => Ok(found),
    }
}

/// True if some format recognises a document that is too large to be scanned at once.
pub fn recognises_large(id: DocId, bytes: &dyn ReadAt) -> io::Result<bool> {
    Ok(detect_format(id, bytes, 0, &Options::default())?.is_some())
}
