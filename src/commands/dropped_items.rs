//! `--dropped`: the list of removed items. Items are appended before the repaired file is written, so that an item is
//! always in the file or in the list, even if the run is interrupted.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use foldhash::HashSet;
use serde_json::json;

use crate::history::time;
use crate::json::{Tape, scan, string};
use crate::options::UsageError;
use crate::place::Place;
use crate::repair::Action;
use crate::report::Location;
use crate::report::changes::ChangeNote;
use crate::source::{Doc, ReadAt, describe_error, display_name, display_path};

/// The beginning of each entry.
const ENTRY_PREFIX: &[u8] = b"{\"file\":";

/// The list of removed items.
pub(super) struct DroppedItems {
    path: PathBuf,
}

/// An appended range of the list, which can be removed again.
pub(super) struct AppendRange {
    file: File,
    before: u64,
    after: u64,
}

impl DroppedItems {
    /// Opens the list.
    ///
    /// # Errors
    ///
    /// If the file exists and is not such a list.
    pub fn new(path: &Path) -> Result<DroppedItems, UsageError> {
        let mut beginning = Vec::new();
        let list = DroppedItems { path: path.to_owned() };
        if fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
            let read =
                File::open(path).and_then(|file| file.take(ENTRY_PREFIX.len() as u64).read_to_end(&mut beginning));
            read.map_err(|error| UsageError::new(describe_error(&path.to_string_lossy(), &error)))?;
        }
        if beginning.is_empty() || beginning == ENTRY_PREFIX {
            return Ok(list);
        }
        Err(UsageError::new(format!("{}: already exists and is not a list of dropped items", display_path(path)))
            .help("--dropped requires a new file or the list of an earlier run"))
    }

    /// Appends the items that the changes to a document remove; `None` if there are none.
    pub fn append(&self, notes: &[ChangeNote], bytes: &dyn ReadAt) -> io::Result<Option<AppendRange>> {
        let mut text = Vec::new();
        let contains_own = |note: &&ChangeNote| note.removed.iter().any(|(_, at)| at.contains(&note.at));
        let contained: HashSet<Place> = notes.iter().filter(contains_own).map(|note| note.at).collect();
        for note in notes {
            let own = (note.action == Action::Drop && !contained.contains(&note.at))
                .then_some((&note.location, note.at));
            let removed = note.removed.iter().map(|(location, at)| (location, *at));
            own.into_iter()
                .chain(removed)
                .try_for_each(|(location, at)| write_entry(note, location, at, bytes, &mut text))?;
        }
        if text.is_empty() {
            return Ok(None);
        }
        let mut options = File::options();
        if fs::metadata(&self.path).is_ok_and(|meta| !meta.is_file()) {
            options.write(true);
        } else {
            options.read(true).append(true).create(true);
        }
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.path)?;
        let meta = file.metadata()?;
        if !meta.is_file() {
            file.write_all(&text)?;
            return Ok(None);
        }
        let before = meta.len();
        // An earlier run may have been killed within a line.
        let mut last = [b'\n'];
        if before > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            text.insert(0, b'\n');
        }
        let appended = AppendRange { before, after: before + text.len() as u64, file };
        match (&appended.file).write_all(&text).and_then(|()| appended.file.sync_all()) {
            Ok(()) => Ok(Some(appended)),
            Err(error) => {
                // An incomplete entry is removed.
                let _ = appended.file.set_len(before);
                self.remove_if_empty();
                Err(error)
            }
        }
    }

    /// Removes what was appended for a file that was then not written.
    pub fn undo_append(&self, appended: &AppendRange) {
        // Not if another process has appended since: an extra entry does less harm than a missing one.
        if appended.file.metadata().is_ok_and(|meta| meta.len() == appended.after) {
            let _ = appended.file.set_len(appended.before);
            self.remove_if_empty();
        }
    }

    fn remove_if_empty(&self) {
        if fs::metadata(&self.path).is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// The error for a document that is not written because its removed items cannot be saved.
    pub fn unsaved_error(&self, doc: &Doc, error: &io::Error) -> UsageError {
        let why = describe_error(&self.path.to_string_lossy(), error);
        UsageError::new(format!(
            "{}: not written, because the removed items cannot be saved: {why}",
            display_name(&doc.label)
        ))
    }
}

/// Writes a removed item and its location as a line.
fn write_entry(
    note: &ChangeNote,
    location: &Location,
    at: Place,
    bytes: &dyn ReadAt,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let mut item = Vec::new();
    bytes.read_into(at.start, at.len as usize, &mut item)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    let fields = json!({
        "file": &*note.path,
        "record": note.record,
        "line": location.line,
        "column": location.column,
        "span": { "start": location.span.0, "end": location.span.1 },
        "pointer": location.pointer,
        "inner_pointer": location.inner_pointer,
        "rule": note.rule,
        "time": time::format_iso(now),
    })
    .to_string();
    out.extend_from_slice(fields.trim_end_matches('}').as_bytes());
    if scan(&item, &mut Tape::new()).is_ok() && std::str::from_utf8(&item).is_ok() {
        out.extend_from_slice(b",\"item\":");
        string::one_line(&item, out);
    } else {
        // A truncated line.
        out.extend_from_slice(b",\"text\":");
        out.extend_from_slice(&string::quoted(&String::from_utf8_lossy(&item)));
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}
