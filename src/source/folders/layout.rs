//! Layouts of sessions in folders, and what they share.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::json::{Tape, scan};

use crate::source::bytes::hints::{FileFaultKind, RowAccess};

/// Bytes read of a file, at most.
const MOST_BYTES: u64 = 256 << 20;

/// Files that are inspected.
const SAMPLE: usize = 20;

/// Finds the faults of a file of a session.
type FileFaults = fn(Option<&Path>, &Path, Option<&[u8]>) -> Vec<(FileFaultKind, u64)>;

/// A layout of sessions in folders.
pub(super) struct FolderLayout {
    /// The format of such sessions.
    pub format: &'static str,
    /// The session that a file belongs to, by its path.
    pub of: fn(&Path) -> Option<FolderMember<'_>>,
    /// The files of a session, in order. `None` if their keys show that they are something else.
    pub files: fn(&Path, &str) -> Option<Vec<PathBuf>>,
    /// The edits that its files allow.
    pub rows: RowAccess,
    /// The faults of a file, each with the number in its name: by the path of the file before it, its own path, and its
    /// content, which is `None` if it does not exist.
    pub faults: FileFaults,
    /// The path of a file with this content, added after the last of these; `None` if it has no name.
    pub new_file: fn(&Path, &[u8]) -> Option<PathBuf>,
}

/// A file of a session.
pub(super) struct FolderMember<'p> {
    /// The root folder of the layout.
    pub root: &'p Path,
    pub session: &'p str,
}

/// True if one of the first files has strings under all of these keys.
pub(super) fn any_has_strings(files: &[PathBuf], keys: &[&str]) -> bool {
    let mut tape = Tape::new();
    files.iter().take(SAMPLE).any(|path| {
        let Ok(text) = read(path) else { return false };
        let root = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text));
        root.is_some_and(|val| keys.iter().all(|key| val.get(key).is_some_and(|own| own.is_string())))
    })
}

pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    std::fs::File::open(path)?.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(text)
}

/// The subfolders and JSON files of a folder, sorted by name: ids sort by time.
pub(super) fn list_json(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort_unstable();
    paths
}

/// `None` unless a file's name ends in `.json`.
pub(super) fn is_json(path: &Path) -> Option<()> {
    path.extension().is_some_and(|ending| ending == "json").then_some(())
}
