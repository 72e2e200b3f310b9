//! Repaired copies of sessions whose lines may not move: written beside the session, where its agent finds them by their
//! new id.

use std::io;
use std::path::Path;

use crate::options::UsageError;
use crate::place::Pieces;
use crate::repair::flatten::FlatCopy;
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::{PatchedView, display_path};

use crate::commands::Failure;
use crate::commands::fix::plan::RepairOutcome;

use super::session::InstalledCopy;

/// The copy, if it was written before.
pub(super) fn find(outcome: &RepairOutcome) -> io::Result<Option<InstalledCopy>> {
    let found = with_copy(outcome, |copy, path| {
        Ok(path.exists().then(|| InstalledCopy { path: path.to_owned(), id: copy.id.clone() }))
    })?;
    Ok(found.flatten())
}

/// Writes the copy.
pub(super) fn install(outcome: &RepairOutcome) -> Result<InstalledCopy, Failure> {
    let written = with_copy(outcome, |copy, path| {
        let mut file = NewFile::create(path, true, ExistingFile::Refuse).map_err(io::Error::other)?;
        copy.write(&mut file)?;
        file.save().map_err(io::Error::other)?;
        Ok(InstalledCopy { path: path.to_owned(), id: copy.id.clone() })
    });
    let path = outcome.doc.path.as_deref().unwrap_or(Path::new(""));
    written?.ok_or_else(|| {
        UsageError::new(format!("{}: no copy can be written, because it has no header", display_path(path))).into()
    })
}

/// Passes the copy of a repaired session, and its path; `None` if there is no such copy.
fn with_copy<T>(
    outcome: &RepairOutcome,
    act: impl FnOnce(&FlatCopy<'_>, &Path) -> io::Result<T>,
) -> io::Result<Option<T>> {
    let doc = &outcome.doc;
    let Some(lines) = outcome.fixed.before.format.and_then(|format| format.info().numbered_lines) else {
        return Ok(None);
    };
    let view =
        PatchedView::new(&*doc.bytes, Pieces::new(outcome.fixed.patch.edits(doc.id), doc.id, doc.bytes.len()));
    let Some(copy) = FlatCopy::of(&view, lines)? else { return Ok(None) };
    let last = doc.segments.last().map(|segment| segment.path.clone());
    let Some(old) = last.or_else(|| doc.path.clone()) else { return Ok(None) };
    let name = copy.file_name(&old.file_name().unwrap_or_default().to_string_lossy());
    act(&copy, &old.with_file_name(name)).map(Some)
}
