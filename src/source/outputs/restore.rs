//! Restoring backups (`--undo`): back to the state before a run that replaced a file. Only a file that is still as
//! that run wrote it is restored, so that later changes are not lost. Its backup and journal are removed then, so
//! that the run before it can be undone next. Backups are looked for beside the file, and in folders of backups.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use foldhash::HashMap;
use walkdir::{DirEntry, WalkDir};

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
        "its backup {0} has no journal ({0}{ENDING}) of what the fix wrote; nothing was restored (to restore it \
         anyway, copy the backup over the file)",
        ENDING = journal::ENDING
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
    /// The printed path of the backup.
    pub backup: String,
    /// Metadata that could not be kept, in words.
    pub lost: Vec<String>,
    /// Files that could not be removed afterwards, and why.
    pub unremoved: Vec<(PathBuf, io::Error)>,
}

/// A backup with its journal.
#[derive(Clone, Debug)]
pub struct JournaledBackup {
    backup: PathBuf,
    number: u32,
    journal: Journal,
}

impl JournaledBackup {
    /// The backup of a journal; `None` if the file there is not one.
    fn of(path: &Path) -> Option<JournaledBackup> {
        let backup = journal::backup_of(path)?;
        let (_, number) = journal::backup_stem(&backup)?;
        Some(JournaledBackup { number, backup, journal: Journal::read(path)? })
    }

    /// Later backups are greater.
    fn order(&self) -> (u64, u32) {
        (self.journal.time, self.number)
    }
}

/// The journals in a folder, by the stems of their backups.
type ListedJournals = HashMap<OsString, Vec<PathBuf>>;

/// The backups that files are restored from.
#[derive(Debug)]
pub enum Journals {
    /// Those beside the files, and those in folders that mirror the file system.
    Everywhere {
        roots: Vec<PathBuf>,
        /// Each folder is listed once, however many of its files are restored.
        listed: HashMap<PathBuf, ListedJournals>,
    },
    /// Those in one folder of backups, or in a part of it, by the real path of their file.
    Below(BTreeMap<PathBuf, Vec<JournaledBackup>>),
}

impl Journals {
    /// The backups beside files, and those in folders of backups.
    pub fn everywhere(roots: Vec<PathBuf>) -> Journals {
        Journals::Everywhere { roots, listed: HashMap::default() }
    }

    /// The backups in a folder, or a single one, whose files are elsewhere.
    pub fn below(folder: &Path) -> Journals {
        let mut found: BTreeMap<PathBuf, Vec<JournaledBackup>> = BTreeMap::new();
        let paths = WalkDir::new(folder).into_iter().flatten().map(DirEntry::into_path);
        let single = journal::journal_path(folder);
        for path in paths.chain(single.is_file().then_some(single)) {
            if let Some(kept) = JournaledBackup::of(&path)
                && let Some(real) = kept.journal.path.clone()
            {
                found.entry(real).or_default().push(kept);
            }
        }
        found.values_mut().for_each(|kept| kept.sort_by_key(JournaledBackup::order));
        Journals::Below(found)
    }

    /// The files that the backups in a folder belong to; empty for those that are looked for everywhere.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Journals::Everywhere { .. } => Vec::new(),
            Journals::Below(found) => found.keys().cloned().collect(),
        }
    }

    /// True if there is a journal about a file.
    pub fn has_journal(&mut self, path: &Path) -> bool {
        real_path(path).is_ok_and(|real| self.backups_of(&real).is_ok_and(|kept| !kept.is_empty()))
    }

    /// The backups of a file that have journals, the newest last.
    fn backups_of(&mut self, real: &Path) -> io::Result<Vec<JournaledBackup>> {
        let (roots, listed) = match self {
            Journals::Everywhere { roots, listed } => (roots, listed),
            Journals::Below(found) => return Ok(found.get(real).cloned().unwrap_or_default()),
        };
        let (folder, name) = (real.parent().unwrap_or(Path::new(".")), real.file_name().unwrap_or_default());
        let mirrors =
            roots.iter().map(|root| backup::mirrored_path(root, folder)).filter(|mirror| mirror.is_dir());
        let mut kept: Vec<JournaledBackup> = Vec::new();
        for folder in std::iter::once(folder.to_owned()).chain(mirrors) {
            let named = match listed.entry(folder) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let journals = list_journals(new.key())?;
                    new.insert(journals)
                }
            };
            let journals = backup::stems(name).filter_map(|stem| named.get(&stem)).flatten();
            kept.extend(journals.filter_map(|path| JournaledBackup::of(path)));
        }
        kept.retain(|kept| kept.journal.is_about(real));
        kept.sort_by_key(JournaledBackup::order);
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
        let shown = |backup: &Path| match path.is_symlink() || backup.parent() != real.parent() {
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
        let unremoved = unremoved.collect();
        if kept.journal.path.is_some() {
            remove_empty_mirror(&kept.backup, &real);
        }
        Ok(RestoredFile { backup, lost, unremoved })
    }
}

/// Removes the folders that mirror those of a file, and the folder of backups, as far as they are empty.
fn remove_empty_mirror(backup: &Path, real: &Path) {
    for folder in backup.ancestors().skip(1).take(real.components().count()) {
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

/// The real path of a file. Removes temporary files of killed runs beside it.
fn real_path(path: &Path) -> io::Result<PathBuf> {
    let real = identity::follow_links(path).and_then(std::path::absolute)?;
    temp::sweep(real.parent().unwrap_or(Path::new(".")));
    Ok(real)
}

fn list_journals(folder: &Path) -> io::Result<ListedJournals> {
    let mut found = ListedJournals::default();
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
