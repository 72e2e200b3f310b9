//! Writing. A file is replaced in one step: the new bytes are written to a temporary file in the same folder, get
//! the metadata of the old file, are synced to disk, and take the old name; the old file remains beside it as a
//! backup that never overwrites another. A file that another process may be writing is left alone: an agent that
//! has it open would continue to write to the backup.

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::backup::BackupPlace;
use super::journal::{self, FileDigest, Journal};
use super::temp::{ClaimedName, TempFile};
use super::{backup, metadata, temp, users};
use crate::source::bytes::read::ReadAt;
use crate::source::doc::{Doc, SequentialReader};
use crate::source::file_stamp::FileStamp;
use crate::source::identity;

/// A file modified within this time may still be in use.
const RECENT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    #[error("{}: changed while being read; nothing was written (--force overrides)", crate::source::display_path(.0))]
    Changed(PathBuf),
    #[error(
        "{}: modified in the last 10 seconds and may still be in use; nothing was written (--force overrides)",
        crate::source::display_path(.0)
    )]
    RecentlyModified(PathBuf),
    #[error(
        "{}: process {process} has it open for writing; nothing was written (--force overrides)",
        crate::source::display_path(path)
    )]
    OpenForWriting { path: PathBuf, process: u32 },
    #[error("{}: {why}; nothing was written", crate::source::display_path(path))]
    Database { path: PathBuf, why: String },
    #[error("{}: is compressed; use -o FILE to write an uncompressed copy", crate::source::display_path(.0))]
    Compressed(PathBuf),
    #[error("{}: is part of a session in several files, which is read-only; nothing was written", crate::source::display_name(.0))]
    SessionFile(String),
    #[error("{}: is in a zip archive, which is never modified; use -o FILE to write a copy", crate::source::display_name(.0))]
    InArchive(String),
    #[error(
        "{}: has {} hard links, and the others would keep the old content; nothing was written \
         (--force overrides, -o FILE writes a copy)",
        crate::source::display_path(path),
        names
    )]
    HardLinked { path: PathBuf, names: u64 },
    #[error("{}: is a named pipe; nothing was written (--force replaces it with a file)", crate::source::display_path(.0))]
    Pipe(PathBuf),
    #[error("{}: is not a regular file and cannot be replaced; use -o FILE", crate::source::display_path(.0))]
    NotRegular(PathBuf),
    #[error(
        "{}: cannot be replaced: {}; another program may have it open",
        crate::source::display_path(path),
        crate::source::reason(error)
    )]
    InUse { path: PathBuf, error: io::Error },
    #[error("{}: is read-only; nothing was written (remove the attribute, or use -o FILE)", crate::source::display_path(.0))]
    ReadOnly(PathBuf),
    #[error("{}: already exists; use --force to replace it", crate::source::display_path(.0))]
    Exists(PathBuf),
    #[error(
        "{}: cannot create a temporary file in {}: {}",
        crate::source::display_path(path),
        crate::source::display_path(folder),
        crate::source::reason(error)
    )]
    Folder { path: PathBuf, folder: PathBuf, error: io::Error },
    #[error("{}: cannot be written: {}", crate::source::display_path(path), crate::source::reason(error))]
    Io { path: PathBuf, error: io::Error },
}

/// Options for replacing a file.
#[derive(Clone, Debug)]
pub struct ReplaceOptions {
    pub backups: BackupPlace,
    pub force: bool,
    /// An agent may be writing to the file: refuse one that was modified just now.
    pub is_live: bool,
}

/// The result of replacing a file.
#[derive(Debug, Default)]
pub struct ReplaceOutcome {
    pub backup: Option<PathBuf>,
    /// Metadata of the old file that the new one could not get, in words.
    pub lost: Vec<String>,
}

/// Replaces the file of a doc by `bytes`.
pub fn replace(doc: &Doc, bytes: &dyn ReadAt, how: &ReplaceOptions) -> Result<ReplaceOutcome, CommitError> {
    let Some(path) = &doc.path else { return Ok(ReplaceOutcome::default()) };
    match doc.packing {
        crate::source::Packing::Member => return Err(CommitError::InArchive(doc.label.clone())),
        crate::source::Packing::Shared => return Err(CommitError::SessionFile(doc.label.clone())),
        _ => {}
    }
    if doc.packing != crate::source::Packing::Plain {
        return Err(CommitError::Compressed(path.clone()));
    }
    let failed = |error| CommitError::Io { path: path.clone(), error };
    // A link remains a link: its target is replaced.
    let real = identity::follow_links(path).and_then(std::path::absolute).map_err(failed)?;
    let meta = fs::metadata(&real).map_err(failed)?;
    check_kind(path, &real, &meta, how.force)?;
    check_unchanged(doc, path, &meta, how)?;

    let (mut temp, lost) = write_temp(path, &real, |file| bytes.append_to(0, bytes.len(), file))?;
    // Not every system replaces a file that is open, or removes it after a failure.
    bytes.close();
    doc.bytes.close();
    let stem = how.backups.stem_of(&real).map_err(failed)?;
    let journal = match (&stem, meta.is_file()) {
        (Some(stem), true) => Some(journal_of(&real, stem, temp.file().map_err(failed)?).map_err(failed)?),
        _ => None,
    };
    let backup = stem.as_ref().map(|stem| backup::create(&real, stem)).transpose().map_err(failed)?;
    // All that took time: check again right before the rename. A file that another process put there meanwhile
    // remains, and the backup is removed.
    let meta = fs::metadata(&real).map_err(failed)?;
    check_kind(path, &real, &meta, how.force)?;
    check_unchanged(doc, path, &meta, how)?;
    let (backup, claim) = backup.map_or((None, None), |backup| (Some(backup.path), backup.claim));
    let journal = match (&backup, journal) {
        (Some(backup), Some(mut journal)) => {
            Some(journal.claim_journal(&journal::journal_path(backup)).map_err(failed)?)
        }
        _ => None,
    };
    install(path, temp, &real, claim.into_iter().chain(journal))?;
    Ok(ReplaceOutcome { backup, lost })
}

/// The journal of a replacement, as a temporary file beside the backup, which is named after the path `stem`.
fn journal_of(real: &Path, stem: &Path, new: &File) -> io::Result<TempFile> {
    let folder = stem.parent().unwrap_or(Path::new("."));
    let is_apart = Some(folder) != real.parent();
    let (written, old) = (FileDigest::of(new)?, FileDigest::of(&File::open(real)?)?);
    Journal::new(real, written, old, is_apart).write_temp_file(folder)
}

/// Writes a temporary file beside the one that it will replace, with its metadata. Also returns the metadata that
/// it could not get, in words.
pub(super) fn write_temp(
    path: &Path,
    real: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(TempFile, Vec<String>), CommitError> {
    let folder = real.parent().unwrap_or(Path::new("."));
    let no_room = |error| CommitError::Folder { path: path.to_owned(), folder: folder.to_owned(), error };
    let mut temp = TempFile::beside(folder, false).map_err(no_room)?;
    let written = || {
        let file = temp.file()?;
        fill(file)?;
        let lost = match fs::metadata(real)?.is_file() {
            true => metadata::copy_attributes(&File::open(real)?, file)?,
            false => Vec::new(),
        };
        file.sync_all()?;
        Ok(lost)
    };
    let lost = written().map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    Ok((temp, lost))
}

/// Renames a temporary file to the one that it replaces; `along` keep their names from then on.
pub(super) fn install(
    path: &Path,
    temp: TempFile,
    real: &Path,
    along: impl IntoIterator<Item = ClaimedName>,
) -> Result<(), CommitError> {
    temp.persist(real, true, along).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied if cfg!(windows) => CommitError::InUse { path: path.to_owned(), error },
        _ => CommitError::Io { path: path.to_owned(), error },
    })?;
    sync_folder(real.parent().unwrap_or(Path::new(".")));
    Ok(())
}

/// Removes temporary files that killed runs left beside a doc's files.
pub fn sweep_doc_folders(doc: &Doc) {
    let paths = doc.path.iter().chain(doc.segments.iter().map(|segment| &segment.path));
    paths.for_each(|path| sweep_folder_of(path));
}

/// Removes temporary files that killed runs left beside a file.
pub fn sweep_folder_of(path: &Path) {
    if let Ok(real) = fs::canonicalize(path) {
        temp::sweep(real.parent().unwrap_or(Path::new(".")));
    }
}

/// Refuses files that must not be replaced: pipes and files with other hard links unless `force`, and anything
/// irregular.
pub(super) fn check_kind(path: &Path, real: &Path, meta: &Metadata, force: bool) -> Result<(), CommitError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        if meta.file_type().is_fifo() {
            return if force { Ok(()) } else { Err(CommitError::Pipe(path.to_owned())) };
        }
        if meta.is_file() && meta.nlink() > 1 && !force {
            let names = meta.nlink() - backup::link_count(real).min(meta.nlink() - 1);
            if names > 1 {
                return Err(CommitError::HardLinked { path: path.to_owned(), names });
            }
        }
    }
    #[cfg(not(unix))]
    let _ = (real, force);
    check_replaceable(path, meta)?;
    if meta.is_file() { Ok(()) } else { Err(CommitError::NotRegular(path.to_owned())) }
}

/// On Unix the folder decides whether a read-only file can be replaced. On Windows nothing can take its name, and
/// a new file with the attribute could not be removed again.
pub(super) fn check_replaceable(path: &Path, meta: &Metadata) -> Result<(), CommitError> {
    if cfg!(windows) && meta.permissions().readonly() {
        return Err(CommitError::ReadOnly(path.to_owned()));
    }
    Ok(())
}

fn check_unchanged(doc: &Doc, path: &Path, meta: &Metadata, how: &ReplaceOptions) -> Result<(), CommitError> {
    if how.force {
        return Ok(());
    }
    if doc.stamp != Some(FileStamp::of(meta)) {
        return Err(CommitError::Changed(path.to_owned()));
    }
    if how.is_live && is_recent(meta) {
        return Err(CommitError::RecentlyModified(path.to_owned()));
    }
    check_writer(path)
}

/// Refuses a file that another process has open for writing: its writes would go to the backup.
pub(super) fn check_writer(path: &Path) -> Result<(), CommitError> {
    match users::writing_process(path) {
        Some(process) => Err(CommitError::OpenForWriting { path: path.to_owned(), process }),
        None => Ok(()),
    }
}

fn is_recent(meta: &Metadata) -> bool {
    let age = meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    age.is_none_or(|age| age < RECENT)
}

/// True if a file was modified just now, so that an agent may still be writing to it.
pub fn is_recently_modified(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| is_recent(&meta))
}

/// Refuses a file that was modified just now: the session may still be in use.
pub fn check_age(path: &Path, how: &ReplaceOptions) -> Result<(), CommitError> {
    let meta = fs::metadata(path).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    if !how.force && is_recent(&meta) { Err(CommitError::RecentlyModified(path.to_owned())) } else { Ok(()) }
}

/// Makes the rename itself durable, where folders can be synced.
pub(super) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        // Not every file system can; the file's own bytes are on the disk already.
        let _ = folder.sync_all();
    }
}

/// Copies a doc to a stream.
pub fn copy(bytes: &dyn ReadAt, out: &mut dyn Write) -> io::Result<()> {
    // Synthetic text is read after the end of the bytes, and is not part of the copy.
    let from = io::BufReader::with_capacity(1 << 20, SequentialReader::new(bytes));
    let copied = io::copy(&mut from.take(bytes.len()), out)?;
    out.flush()?;
    if copied < bytes.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::new_file::{ExistingFile, NewFile, write_new};
    use super::*;
    use crate::place::DocId;
    use crate::source::{Input, InputOptions};

    fn old_file(dir: &Path, content: &str) -> io::Result<PathBuf> {
        let path = dir.join("a.jsonl");
        fs::write(&path, content)?;
        let past = SystemTime::now() - Duration::from_secs(60);
        File::options().write(true).open(&path)?.set_modified(past)?;
        Ok(path)
    }

    const HOW: ReplaceOptions = ReplaceOptions { backups: BackupPlace::Beside, force: false, is_live: true };

    #[test]
    fn a_file_is_replaced_and_every_backup_is_kept() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        for (n, name) in ["a.jsonl.bak", "a.jsonl.bak.1"].iter().enumerate() {
            let doc =
                Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &InputOptions::default())?;
            let how = ReplaceOptions { force: n > 0, ..HOW };
            let backup = replace(&doc, &format!("new {n}").into_bytes(), &how).expect("written");
            assert_eq!(backup.backup.and_then(|p| p.file_name().map(ToOwned::to_owned)), Some((*name).into()));
        }
        assert_eq!(fs::read_to_string(&path)?, "new 1");
        assert_eq!(fs::read_to_string(dir.path().join("a.jsonl.bak"))?, "old");
        assert_eq!(fs::read_dir(dir.path())?.count(), 5, "each backup has a journal");
        Ok(())
    }

    #[test]
    fn a_file_in_use_is_left_alone() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &InputOptions::default())?;
        fs::write(&path, "old and more")?;
        assert!(matches!(replace(&doc, &b"new".to_vec(), &HOW), Err(CommitError::Changed(_))));
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &InputOptions::default())?;
        assert!(matches!(replace(&doc, &b"new".to_vec(), &HOW), Err(CommitError::RecentlyModified(_))));
        assert_eq!(fs::read_to_string(&path)?, "old and more");
        assert_eq!(fs::read_dir(dir.path())?.count(), 1);
        Ok(())
    }

    #[test]
    fn the_old_file_is_closed_before_it_is_replaced() -> io::Result<()> {
        struct WatchedBytes(std::sync::atomic::AtomicBool);
        impl ReadAt for WatchedBytes {
            fn len(&self) -> u64 {
                3
            }
            fn close(&self) {
                self.0.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            fn read_at(&self, start: u64, buf: &mut [u8]) -> io::Result<usize> {
                assert!(!self.0.load(std::sync::atomic::Ordering::Relaxed), "read after it was closed");
                b"new".to_vec().read_at(start, buf)
            }
        }
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &InputOptions::default())?;
        let view = WatchedBytes(false.into());
        replace(&doc, &view, &HOW).expect("written");
        assert!(view.0.into_inner());
        assert_eq!(fs::read_to_string(&path)?, "new");
        // A reopened file must be the same: another file now has that name.
        assert!(cfg!(not(unix)) || doc.bytes.read_into(0, 3, &mut Vec::new()).is_err());
        Ok(())
    }

    #[test]
    fn a_file_that_took_the_place_of_another_is_left_alone() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &InputOptions::default())?;
        // As long, and as old as the one that was read.
        let other = dir.path().join("other");
        fs::write(&other, "OLD")?;
        File::options().write(true).open(&other)?.set_modified(fs::metadata(&path)?.modified()?)?;
        fs::rename(&other, &path)?;
        assert!(cfg!(not(unix)) || matches!(replace(&doc, &b"new".to_vec(), &HOW), Err(CommitError::Changed(_))));
        Ok(())
    }

    #[test]
    fn a_replacement_that_fails_leaves_no_backup() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        let (backup, mut temp) = (backup::create(&path, &path)?, TempFile::beside(dir.path(), false)?);
        temp.write_all(b"new")?;
        // A folder cannot be replaced by a file.
        let taken = dir.path().join("taken");
        fs::create_dir(&taken)?;
        assert!(temp.persist(&taken, true, backup.claim).is_err());
        assert_eq!(fs::read_dir(dir.path())?.count(), 2);
        assert_eq!(fs::read_to_string(&path)?, "old");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_new_files_are_private() -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640))?;
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, &InputOptions::default())?;
        replace(&doc, &b"new".to_vec(), &HOW).expect("written");
        assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o640);
        let copy = dir.path().join("copy");
        write_new(&copy, &b"x".to_vec(), ExistingFile::Refuse).expect("written");
        assert_eq!(fs::metadata(&copy)?.permissions().mode() & 0o777, 0o600);
        let report = dir.path().join("report");
        NewFile::create(&report, false, ExistingFile::Refuse).and_then(NewFile::save).expect("written");
        let plain = dir.path().join("plain");
        fs::write(&plain, "")?;
        assert_eq!(fs::metadata(&report)?.permissions(), fs::metadata(&plain)?.permissions());
        Ok(())
    }
}
