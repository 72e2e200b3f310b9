//! Putting a backup back: the way to the state before a run that replaced a file. Only a file that is still as that run left
//! it goes back, so that nothing is lost that came after. Its backup and the journal go then, so that the run before it
//! can be taken back next.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::commit::{CommitError, check_kind, check_writer, filled, put};
use super::journal::{self, Content, Journal};
use super::{backup, temp};
use crate::source::file_stamp::Stamp;
use crate::source::{display_path, identity, sqlite};

/// Why a file stays as it is. Each names the backup, for whoever knows better.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("{}: {why}", crate::source::display_path(path))]
    Stays { path: PathBuf, why: Why },
    #[error(transparent)]
    Commit(#[from] CommitError),
}

#[derive(Debug, thiserror::Error)]
pub enum Why {
    #[error("no fix to undo: it has no backup")]
    NoBackup,
    #[error(
        "its backup {0} has no journal ({0}.json) that says what the fix wrote; nothing was restored (to go back all the \
         same, copy the backup over the file)"
    )]
    NoJournal(String),
    #[error("changed since the fix; nothing was restored (to go back and lose the changes, copy {0} over it)")]
    Changed(String),
    #[error("its backup {0} is gone; nothing was restored")]
    Gone(String),
    #[error(
        "its backup {0} changed since the fix; nothing was restored (if it is what you want, copy it over the file)"
    )]
    Altered(String),
    #[error("{why}; nothing was restored (the database as it was before the fix is {backup})")]
    InUse { why: String, backup: String },
}

/// A file that is as it was before.
pub struct Restored {
    /// The backup as it is printed: beside the file.
    pub backup: String,
    /// What the file could not keep besides its bytes, in words.
    pub lost: Vec<String>,
    /// What could not be removed afterwards, and why.
    pub unremoved: Vec<(PathBuf, io::Error)>,
}

/// A backup with what its journal says.
struct Kept {
    backup: PathBuf,
    number: u32,
    journal: Journal,
}

/// The journals of the folders that were looked into, by the names of the files that they are about. A folder is listed
/// once, however many of its files are restored.
#[derive(Default)]
pub struct Journals(HashMap<PathBuf, HashMap<OsString, Vec<PathBuf>>>);

impl Journals {
    /// Whether a journal is about a file.
    pub fn know(&mut self, path: &Path) -> bool {
        real(path).is_ok_and(|real| self.of(&real).is_ok_and(|kept| !kept.is_empty()))
    }

    /// What is known about a file, the newest backup last.
    fn of(&mut self, real: &Path) -> io::Result<Vec<Kept>> {
        let (folder, name) = (real.parent().unwrap_or(Path::new(".")), real.file_name().unwrap_or_default());
        if !self.0.contains_key(folder) {
            self.0.insert(folder.to_owned(), listed(folder)?);
        }
        let named = self.0.get(folder);
        let journals = backup::stems(name).filter_map(|stem| named?.get(&stem)).flatten();
        let mut kept: Vec<Kept> = journals
            .filter_map(|path| {
                let backup = journal::backup_of(path)?;
                let (_, number) = journal::stem(&backup)?;
                let journal = Journal::read(path).filter(|journal| journal.is_of(real))?;
                Some(Kept { number, backup, journal })
            })
            .collect();
        kept.sort_by_key(|kept| (kept.journal.time, kept.number));
        Ok(kept)
    }

    /// Puts the backup back that was made when a file became what it is now. `force`: although somebody else has it open
    /// to write to it, or it has other names.
    pub fn restore(&mut self, path: &Path, force: bool) -> Result<Restored, RestoreError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        let stays = |why| RestoreError::Stays { path: path.to_owned(), why };
        let real = real(path).map_err(failed)?;
        let meta = fs::metadata(&real).map_err(failed)?;
        check_kind(path, &real, &meta, force)?;
        let known = self.of(&real).map_err(failed)?;
        // A link lies elsewhere than what it leads to.
        let shown = |backup: &Path| match path.is_symlink() {
            true => display_path(backup),
            false => display_path(&path.with_file_name(backup.file_name().unwrap_or_default())),
        };
        let Some(newest) = known.last() else {
            return Err(stays(
                backup::first(&real).map_or(Why::NoBackup, |backup| Why::NoJournal(shown(&backup))),
            ));
        };
        let check_closed = || match sqlite::is_database(&real).then(|| sqlite::in_use(&real)).flatten() {
            Some(why) => Err(stays(Why::InUse { why, backup: shown(&newest.backup) })),
            None => Ok(()),
        };
        check_closed()?;
        let file = File::open(&real).map_err(failed)?;
        let stamp = file.metadata().map(|meta| Stamp::of(&meta)).map_err(failed)?;
        let now = Content::of(&file).map_err(failed)?;
        drop(file);
        let left = known.iter().rev().find(|kept| kept.journal.written == now);
        // A run that was killed may have left only the backup to be removed; or somebody has copied it by hand.
        let Some(kept) = left.or(known.iter().rev().find(|kept| kept.journal.backup == now)) else {
            return Err(stays(Why::Changed(shown(&newest.backup))));
        };
        let backup = shown(&kept.backup);
        let old = match File::open(&kept.backup) {
            Ok(old) => Some(old),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error).into()),
            Err(_) if left.is_some() => return Err(stays(Why::Gone(backup))),
            Err(_) => None,
        };
        let lost = match (&old, left) {
            (Some(old), Some(_)) => {
                let (mut temp, lost) = filled(path, &real, |new| io::copy(&mut &*old, new).map(|_| ()))?;
                // What is put back is held against the journal, not what it was copied from, which may change meanwhile.
                if temp.file().and_then(|file| Content::of(file)).map_err(failed)? != kept.journal.backup {
                    return Err(stays(Why::Altered(backup)));
                }
                let meta = fs::metadata(&real).map_err(failed)?;
                check_kind(path, &real, &meta, force)?;
                if Stamp::of(&meta) != stamp {
                    return Err(stays(Why::Changed(backup)));
                }
                check_closed()?;
                if !force {
                    check_writer(path)?;
                }
                put(path, temp, &real, [])?;
                lost
            }
            (Some(old), None) if Content::of(old).map_err(failed)? != kept.journal.backup => {
                return Err(stays(Why::Altered(backup)));
            }
            _ => Vec::new(),
        };
        drop(old);
        // The journal last: until then it says what is left to do.
        let removed = [kept.backup.clone(), journal::path(&kept.backup)];
        let unremoved = removed.into_iter().filter_map(|path| {
            let error = fs::remove_file(&path).err().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
            Some((path, error))
        });
        Ok(Restored { backup, lost, unremoved: unremoved.collect() })
    }
}

/// The file that a path leads to, after what killed runs left beside it is gone.
fn real(path: &Path) -> io::Result<PathBuf> {
    let real = identity::follow(path).and_then(std::path::absolute)?;
    temp::sweep(real.parent().unwrap_or(Path::new(".")));
    Ok(real)
}

/// The journals in a folder, by what is left of the names of their files.
fn listed(folder: &Path) -> io::Result<HashMap<OsString, Vec<PathBuf>>> {
    let mut found: HashMap<OsString, Vec<PathBuf>> = HashMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(backup) = journal::backup_of(&path)
            && let Some((stem, _)) = journal::stem(&backup)
        {
            found.entry(stem.to_owned()).or_default().push(path);
        }
    }
    Ok(found)
}
