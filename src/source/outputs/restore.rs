//! Restoring backups (`--undo`): back to the state before a run that replaced a file. Only a file that is still as
//! that run wrote it is restored, so that later changes are not lost. Its backup and journal are removed then, so
//! that the run before it can be undone next.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::commit::{CommitError, check_kind, check_writer, install, write_temp};
use super::journal::{self, FileDigest, Journal};
use super::{backup, temp};
use crate::source::file_stamp::FileStamp;
use crate::source::{display_path, identity, sqlite};

/// The error that prevents restoring a file.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error("{}: {why}", crate::source::display_path(path))]
    NotRestored { path: PathBuf, why: RestoreObstacle },
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// The reason why a file is not restored. Messages name the backup.
#[derive(Debug, thiserror::Error)]
pub enum RestoreObstacle {
    #[error("nothing to undo: it has no backup")]
    NoBackup,
    #[error(
        "its backup {0} has no journal ({0}.json) of what the fix wrote; nothing was restored (to restore it \
         anyway, copy the backup over the file)"
    )]
    NoJournal(String),
    #[error("changed since the fix; nothing was restored (to discard the changes, copy {0} over it)")]
    Changed(String),
    #[error("its backup {0} is missing; nothing was restored")]
    BackupMissing(String),
    #[error(
        "its backup {0} changed since the fix; nothing was restored (to use it anyway, copy it over the file)"
    )]
    BackupChanged(String),
    #[error("{why}; nothing was restored (the backup from before the fix is {backup})")]
    InUse { why: String, backup: String },
}

/// The result of restoring a file.
pub struct RestoredFile {
    /// The printed path of the backup, beside the file.
    pub backup: String,
    /// Metadata that could not be kept, in words.
    pub lost: Vec<String>,
    /// Files that could not be removed afterwards, and why.
    pub unremoved: Vec<(PathBuf, io::Error)>,
}

/// A backup with its journal.
struct JournaledBackup {
    backup: PathBuf,
    number: u32,
    journal: Journal,
}

/// The journals in folders, by the names of the files that they are about. Each folder is listed once, however
/// many of its files are restored.
#[derive(Default)]
pub struct Journals(HashMap<PathBuf, HashMap<OsString, Vec<PathBuf>>>);

impl Journals {
    /// True if there is a journal about a file.
    pub fn has_journal(&mut self, path: &Path) -> bool {
        real_path(path).is_ok_and(|real| self.backups_of(&real).is_ok_and(|kept| !kept.is_empty()))
    }

    /// The backups of a file that have journals, the newest last.
    fn backups_of(&mut self, real: &Path) -> io::Result<Vec<JournaledBackup>> {
        let (folder, name) = (real.parent().unwrap_or(Path::new(".")), real.file_name().unwrap_or_default());
        if !self.0.contains_key(folder) {
            self.0.insert(folder.to_owned(), list_journals(folder)?);
        }
        let named = self.0.get(folder);
        let journals = backup::stems(name).filter_map(|stem| named?.get(&stem)).flatten();
        let mut kept: Vec<JournaledBackup> = journals
            .filter_map(|path| {
                let backup = journal::backup_of(path)?;
                let (_, number) = journal::backup_stem(&backup)?;
                let journal = Journal::read(path).filter(|journal| journal.is_about(real))?;
                Some(JournaledBackup { number, backup, journal })
            })
            .collect();
        kept.sort_by_key(|kept| (kept.journal.time, kept.number));
        Ok(kept)
    }

    /// Restores the backup of the run that wrote the file as it is now. `force`: even if another process has it
    /// open for writing, or it has other hard links.
    pub fn restore(&mut self, path: &Path, force: bool) -> Result<RestoredFile, RestoreError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        let not_restored = |why| RestoreError::NotRestored { path: path.to_owned(), why };
        let real = real_path(path).map_err(failed)?;
        let meta = fs::metadata(&real).map_err(failed)?;
        check_kind(path, &real, &meta, force)?;
        let known = self.backups_of(&real).map_err(failed)?;
        // A link may be in another folder than its target.
        let shown = |backup: &Path| match path.is_symlink() {
            true => display_path(backup),
            false => display_path(&path.with_file_name(backup.file_name().unwrap_or_default())),
        };
        let Some(newest) = known.last() else {
            return Err(not_restored(
                backup::first_backup(&real)
                    .map_or(RestoreObstacle::NoBackup, |backup| RestoreObstacle::NoJournal(shown(&backup))),
            ));
        };
        let check_closed = || match sqlite::is_database(&real).then(|| sqlite::in_use(&real)).flatten() {
            Some(why) => Err(not_restored(RestoreObstacle::InUse { why, backup: shown(&newest.backup) })),
            None => Ok(()),
        };
        check_closed()?;
        let file = File::open(&real).map_err(failed)?;
        let stamp = file.metadata().map(|meta| FileStamp::of(&meta)).map_err(failed)?;
        let now = FileDigest::of(&file).map_err(failed)?;
        drop(file);
        let left = known.iter().rev().find(|kept| kept.journal.written == now);
        // A killed run may have left only the backup to be removed; or somebody has copied it manually.
        let Some(kept) = left.or(known.iter().rev().find(|kept| kept.journal.backup == now)) else {
            return Err(not_restored(RestoreObstacle::Changed(shown(&newest.backup))));
        };
        let backup = shown(&kept.backup);
        let old = match File::open(&kept.backup) {
            Ok(old) => Some(old),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error).into()),
            Err(_) if left.is_some() => return Err(not_restored(RestoreObstacle::BackupMissing(backup))),
            Err(_) => None,
        };
        let lost = match (&old, left) {
            (Some(old), Some(_)) => {
                let (mut temp, lost) = write_temp(path, &real, |new| io::copy(&mut &*old, new).map(|_| ()))?;
                // The copy is compared with the journal, not the backup, which may change meanwhile.
                if temp.file().and_then(|file| FileDigest::of(file)).map_err(failed)? != kept.journal.backup {
                    return Err(not_restored(RestoreObstacle::BackupChanged(backup)));
                }
                let meta = fs::metadata(&real).map_err(failed)?;
                check_kind(path, &real, &meta, force)?;
                if FileStamp::of(&meta) != stamp {
                    return Err(not_restored(RestoreObstacle::Changed(backup)));
                }
                check_closed()?;
                if !force {
                    check_writer(path)?;
                }
                install(path, temp, &real, [])?;
                lost
            }
            (Some(old), None) if FileDigest::of(old).map_err(failed)? != kept.journal.backup => {
                return Err(not_restored(RestoreObstacle::BackupChanged(backup)));
            }
            _ => Vec::new(),
        };
        drop(old);
        // The journal last: until then it records what remains to be done.
        let removed = [kept.backup.clone(), journal::journal_path(&kept.backup)];
        let unremoved = removed.into_iter().filter_map(|path| {
            let error = fs::remove_file(&path).err().filter(|error| error.kind() != io::ErrorKind::NotFound)?;
            Some((path, error))
        });
        Ok(RestoredFile { backup, lost, unremoved: unremoved.collect() })
    }
}

/// The real path of a file. Removes temporary files of killed runs beside it.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let real = identity::follow_links(path).and_then(std::path::absolute)?;
    temp::sweep(real.parent().unwrap_or(Path::new(".")));
    Ok(real)
}

/// The journals in a folder, by the stems of their backups.
fn list_journals(folder: &Path) -> io::Result<HashMap<OsString, Vec<PathBuf>>> {
    let mut found: HashMap<OsString, Vec<PathBuf>> = HashMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(backup) = journal::backup_of(&path)
            && let Some((stem, _)) = journal::backup_stem(&backup)
        {
            found.entry(stem.to_owned()).or_default().push(path);
        }
    }
    Ok(found)
}
