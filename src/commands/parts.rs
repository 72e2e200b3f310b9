//! The conversations of one source, each to a file of its own: `<source>.<number>.json`. How many there are shows at the
//! end, and until then nothing is written where anybody would see it.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use tempfile::SpooledTempFile;

use crate::options::Misuse;
use crate::source::bytes::spool::Spool;
use crate::source::identity::Identity;
use crate::source::inputs::filter::ENDINGS;
use crate::source::outputs::commit::CommitError;
use crate::source::outputs::product::{Existing, NewFile};
use crate::source::{ReadAt, display_path};

/// Conversations wait in memory up to so many bytes, then in a temporary file.
const IN_MEMORY: usize = 4 << 20;

/// Conversations on their way to files.
pub(super) struct Parts {
    spool: SpooledTempFile,
    /// All that were met, whatever became of them.
    met: u32,
    /// Number, from 1, and length of each that is written.
    written: Vec<(u32, u64)>,
}

impl Parts {
    pub fn new() -> Self {
        Parts { spool: SpooledTempFile::new(IN_MEMORY), met: 0, written: Vec::new() }
    }

    /// Takes what became of the next conversation: nothing, if it could not be converted.
    pub fn add(&mut self, made: &Spool) -> io::Result<()> {
        self.met += 1;
        if !made.is_empty() {
            self.written.push((self.met, made.len()));
            made.copy_to(&mut self.spool)?;
        }
        Ok(())
    }

    /// Whether the source holds several conversations, so that numbers tell their files apart.
    pub fn are_several(&self) -> bool {
        self.met > 1
    }

    /// Writes the only conversation to `path`. Returns what the file could not keep of the one that it replaces.
    pub fn save_one(mut self, path: &Path, existing: Existing) -> Result<Vec<String>, CommitError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        self.spool.rewind().map_err(failed)?;
        save(&mut self.spool, path, existing)
    }

    /// Writes each conversation to a file of its own, named after `path`; none, if one of them may not be written.
    /// Returns for each what it could not keep of the file that it replaces.
    pub fn save_each(
        mut self,
        path: &Path,
        ending: &str,
        existing: Existing,
        taken: &mut Taken,
    ) -> Result<Vec<(PathBuf, Vec<String>)>, Unsaved> {
        let named = |(number, len)| (numbered(path, number, ending), len);
        let files: Vec<(PathBuf, u64)> = std::mem::take(&mut self.written).into_iter().map(named).collect();
        for (file, _) in &files {
            taken.claim(file, path)?;
            if existing == Existing::Refuse && fs::symlink_metadata(file).is_ok() {
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

fn save(from: &mut dyn Read, path: &Path, existing: Existing) -> Result<Vec<String>, CommitError> {
    let mut file = NewFile::create(path, true, existing)?;
    io::copy(from, &mut file).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save()
}

/// Why conversations were not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsaved {
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Clash(#[from] Misuse),
}

/// What a run uses, and what it has written: neither is written over.
#[derive(Default)]
pub(super) struct Taken {
    used: HashMap<Identity, PathBuf>,
    written: HashMap<PathBuf, PathBuf>,
}

impl Taken {
    /// The run reads a file, or writes its report there.
    pub fn uses(&mut self, path: &Path) {
        self.used.extend(Identity::of(path).map(|identity| (identity, path.to_owned())));
    }

    /// `path` is to be written, with what comes of `from`.
    fn claim(&mut self, path: &Path, from: &Path) -> Result<(), Misuse> {
        if let Some(used) = Identity::of(path).and_then(|identity| self.used.get(&identity)) {
            let what = format!(
                "{}: is an input or a report of this run, so no conversation can be written to it",
                display_path(used)
            );
            return Err(Misuse::new(what).help("choose another folder for -o"));
        }
        match self.written.insert(path.to_owned(), from.to_owned()) {
            Some(other) if other != from => {
                let [path, other, from] = [path, &other, from].map(display_path);
                let what = format!("{path}: conversations of {other} and {from} would both be written to it");
                Err(Misuse::new(what).help("convert them into different folders"))
            }
            _ => Ok(()),
        }
    }
}

const PACKED: [&str; 2] = ["gz", "zst"];

/// The name of a source without its endings, then the number.
fn numbered(path: &Path, number: u32, ending: &str) -> PathBuf {
    let mut plain = path.to_owned();
    for endings in [&PACKED[..], &ENDINGS[..]] {
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
        let named = |path: &str| numbered(Path::new(path), 12, "json").to_string_lossy().into_owned();
        assert_eq!(named("out/log.jsonl"), "out/log.12.json");
        assert_eq!(named("out/log.jsonl.gz"), "out/log.12.json");
        assert_eq!(named("out/log.v2"), "out/log.v2.12.json");
        assert_eq!(named("out/-"), "out/-.12.json");
    }
}
