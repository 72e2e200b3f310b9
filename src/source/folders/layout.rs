//! What a way to lay out sessions in folders is, and how it looks at files.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::json::{Tape, scan};

/// As much is read of a file.
const MOST_BYTES: u64 = 256 << 20;

/// Files that are looked at.
const SAMPLE: usize = 20;

/// A way to lay out sessions in folders.
pub(super) struct Kind {
    /// The format of such sessions.
    pub format: &'static str,
    /// Which session a file is of, by its path.
    pub of: fn(&Path) -> Option<Member<'_>>,
    /// The files of a session, in order. `None` if their keys say that they are something else.
    pub files: fn(&Path, &str) -> Option<Vec<PathBuf>>,
}

/// A file of a session.
pub(super) struct Member<'p> {
    /// The folder of the tree.
    pub root: &'p Path,
    pub session: &'p str,
}

/// Whether one of the first files has these texts.
pub(super) fn is_like(files: &[PathBuf], keys: &[&str]) -> bool {
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

/// What lies in a folder, by name: ids sort by time.
pub(super) fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() || path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    paths.sort_unstable();
    paths
}
