//! Files that a repair adds to a session in which each event is a file.

use std::io;
use std::path::PathBuf;

use crate::place::Edit;
use crate::source::{ByteHints, Doc, Packing, RowAccess, append_piece, folders};

/// A file that is added after the last one of a session.
pub(super) struct AddedFile {
    pub path: PathBuf,
    pub content: Vec<u8>,
}

/// The files that edits add, and the edits that change existing files.
pub(super) fn split(doc: &Doc, edits: &[Edit]) -> io::Result<(Vec<AddedFile>, Vec<Edit>)> {
    let Some(ByteHints::Lines { format, rows: RowAccess::Extendable }) = doc.bytes.hints() else {
        return Ok((Vec::new(), edits.to_vec()));
    };
    let Some(last) = doc.segments.last().filter(|_| doc.packing == Packing::Shared) else {
        return Ok((Vec::new(), edits.to_vec()));
    };
    let end = last.start + last.len;
    let (new, rest): (Vec<&Edit>, Vec<&Edit>) =
        edits.iter().partition(|edit| edit.at.len == 0 && edit.at.start >= end);
    let mut text = Vec::new();
    for piece in new.iter().flat_map(|edit| &edit.with) {
        append_piece(&*doc.bytes, piece, &mut text)?;
    }
    let (mut files, mut path) = (Vec::new(), last.path.clone());
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        path = folders::new_file(format, &path, line).ok_or(io::ErrorKind::InvalidData)?;
        files.push(AddedFile { path: path.clone(), content: line.to_vec() });
    }
    Ok((files, rest.into_iter().cloned().collect()))
}
