//! The conversations of one source, each written to its own file `<source>.<number>.json`. Their number is known only at
//! the end; until then they are buffered.

use std::fs;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use foldhash::HashMap;
use tempfile::SpooledTempFile;

use crate::options::UsageError;
use crate::source::bytes::spool::Spool;
use crate::source::identity::FileIdentity;
use crate::source::inputs::filter::EXTENSIONS;
use crate::source::outputs::commit::CommitError;
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::{ReadAt, display_path};

/// Bytes of conversations that are buffered in memory, before a temporary file is used.
const MAX_IN_MEMORY: usize = 4 << 20;

/// Conversations of a source that are pending.
pub(super) struct ConversationFiles {
    spool: SpooledTempFile,
    /// Number of all conversations, converted or not.
    count: u32,
    /// Number, from 1, and length in bytes of each converted conversation.
    written: Vec<(u32, u64)>,
}

impl ConversationFiles {
    pub fn new() -> Self {
        ConversationFiles { spool: SpooledTempFile::new(MAX_IN_MEMORY), count: 0, written: Vec::new() }
    }

    /// Adds the next conversation; it is empty if it could not be converted.
    pub fn add(&mut self, made: &Spool) -> io::Result<()> {
        self.count += 1;
        if !made.is_empty() {
            self.written.push((self.count, made.len()));
            made.copy_to(&mut self.spool)?;
        }
        Ok(())
    }

    /// True if the source contains several conversations, so that their files are numbered.
    pub fn has_several(&self) -> bool {
        self.count > 1
    }

    /// Writes the only conversation to `path`. Returns the metadata of a replaced file that was lost.
    pub fn save_one(mut self, path: &Path, existing: ExistingFile) -> Result<Vec<String>, CommitError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        self.spool.rewind().map_err(failed)?;
        save(&mut self.spool, path, existing)
    }

    /// Writes each conversation to its own file, named after `path`; none, if one of them cannot be written. Returns for
    /// each the metadata of a replaced file that was lost.
    pub fn save_each(
        mut self,
        path: &Path,
        ending: &str,
        existing: ExistingFile,
        taken: &mut ReservedPaths,
    ) -> Result<Vec<(PathBuf, Vec<String>)>, SaveError> {
        let named = |(number, len)| (numbered_path(path, number, ending), len);
        let files: Vec<(PathBuf, u64)> = std::mem::take(&mut self.written).into_iter().map(named).collect();
        for (file, _) in &files {
            taken.claim(file, path)?;
            if existing == ExistingFile::Refuse && fs::symlink_metadata(file).is_ok() {
                return Err(CommitError::Exists(file.clone()).into());
            }
        }
        self.spool.rewind().map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
        let mut saved = Vec::new();
        for (file, len) in files {
            let lost = save(&mut (&mut self.spool).take(len), &file, existing)?;
            saved.push((file, lost));
        }
        Ok(saved)
    }
}

fn save(from: &mut dyn Read, path: &Path, existing: ExistingFile) -> Result<Vec<String>, CommitError> {
    let mut file = NewFile::create_with_folders(path, existing)?;
    io::copy(from, &mut file).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save()
}

/// Why conversations were not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum SaveError {
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Clash(#[from] UsageError),
}

/// Files that a run reads or has written, and must not overwrite.
#[derive(Default)]
pub(super) struct ReservedPaths {
    used: HashMap<FileIdentity, PathBuf>,
    written: HashMap<PathBuf, PathBuf>,
}

impl ReservedPaths {
    /// Reserves a file that the run reads, or writes a report to.
    pub fn reserve(&mut self, path: &Path) {
        self.used.extend(FileIdentity::of(path).map(|identity| (identity, path.to_owned())));
    }

    /// Reserves `path` for a conversation of `from`.
    fn claim(&mut self, path: &Path, from: &Path) -> Result<(), UsageError> {
        if let Some(used) = FileIdentity::of(path).and_then(|identity| self.used.get(&identity)) {
            let what = format!(
                "{}: is an input or a report of this run, so no conversation is written to it",
                display_path(used)
            );
            return Err(UsageError::new(what).help("use another folder for -o"));
        }
        match self.written.insert(path.to_owned(), from.to_owned()) {
            Some(other) if other != from => {
                let [path, other, from] = [path, &other, from].map(display_path);
                let what = format!("{path}: conversations of {other} and {from} would both be written to it");
                Err(UsageError::new(what).help("convert them into different folders"))
            }
            _ => Ok(()),
        }
    }
}

const PACKED: [&str; 2] = ["gz", "zst"];

/// The name of a source without its extensions, and the number.
fn numbered_path(path: &Path, number: u32, ending: &str) -> PathBuf {
    let mut plain = path.to_owned();
    for endings in [&PACKED[..], &EXTENSIONS[..]] {
        let ends = |path: &Path| path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending));
        if ends(&plain) {
            plain.set_extension("");
        }
    }
    let mut name = plain.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{number}.{ending}"));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_their_source() {
        let named = |path: &str| numbered_path(Path::new(path), 12, "json").to_string_lossy().into_owned();
        assert_eq!(named("out/log.jsonl"), "out/log.12.json");
        assert_eq!(named("out/log.jsonl.gz"), "out/log.12.json");
        assert_eq!(named("out/log.v2"), "out/log.v2.12.json");
        assert_eq!(named("out/-"), "out/-.12.json");
    }
}
