//! Backups of replaced files, beside the new ones as `<name>.bak`, or the first of `<name>.bak.1`, `.bak.2`, …
//! that is free. Where the file system has hard links that can be removed again, a backup is a hard link, which
//! costs nothing. Backups in a folder of their own are copies, below the whole path of their file.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::temp::{ClaimedName, TempFile};
use super::{journal, metadata};
use crate::source::identity::FileIdentity;

/// Lengths that a too long name is truncated to: the limits of most file systems, and of encrypted ones.
const LENGTHS: [usize; 3] = [usize::MAX, 255, 143];

/// Where the backups of a run are put.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BackupPlace {
    /// No backups are made.
    Nowhere,
    /// In the folder of the file.
    Beside,
    /// In this folder.
    Folder(Arc<Path>),
}

impl BackupPlace {
    /// Beside the files, unless `--no-backup` is given.
    pub fn by_flag(no_backup: bool) -> BackupPlace {
        if no_backup { BackupPlace::Nowhere } else { BackupPlace::Beside }
    }

    /// The path that the backup of a file is named after: the file itself, or its mirror in the folder of backups,
    /// whose folders are created. `None` if there are no backups.
    pub fn stem_of(&self, real: &Path) -> io::Result<Option<PathBuf>> {
        match self {
            BackupPlace::Nowhere => Ok(None),
            BackupPlace::Beside => Ok(Some(real.to_owned())),
            BackupPlace::Folder(root) => {
                let mirror = mirrored_path(root, real);
                create_private_folder(folder_of(&mirror))?;
                Ok(Some(mirror))
            }
        }
    }
}

/// The path of a file below a folder that mirrors the file system.
pub fn mirrored_path(root: &Path, real: &Path) -> PathBuf {
    let mut path = root.to_owned();
    for part in real.components() {
        match part {
            Component::Normal(name) => path.push(name),
            // A drive, or a share of the network.
            Component::Prefix(prefix) => {
                let name = prefix.as_os_str().to_string_lossy();
                path.push(
                    name.split(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>().join("_").trim_matches('_'),
                );
            }
            _ => {}
        }
    }
    path
}

/// Creates a folder that only its owner can list, and those above it.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A backup. `claim` is set if it was created just now: it is removed again if the file is not replaced.
pub struct Backup {
    pub path: PathBuf,
    pub claim: Option<ClaimedName>,
}

/// Creates a backup of a file, named after the path `stem`.
pub fn create(real: &Path, stem: &Path) -> io::Result<Backup> {
    match stem == real {
        true => create_beside(real),
        false => claim_copy(stem, copy_file(real, folder_of(stem))?),
    }
}

fn create_beside(real: &Path) -> io::Result<Backup> {
    let own = FileIdentity::of(real);
    let mut copy = if needs_copy(real) { Some(copy_file(real, folder_of(real))?) } else { None };
    let mut error = io::Error::from(io::ErrorKind::InvalidFilename);
    for length in LENGTHS {
        for path in candidate_names(real, length) {
            let room = journal::check_journal_name(&path);
            // An earlier run was killed between backup and replacement.
            if own.is_some() && FileIdentity::of(&path) == own && room.is_ok() {
                return Ok(Backup { path, claim: None });
            }
            let claimed = room.and_then(|()| match &mut copy {
                Some(copy) => copy.claim(&path),
                None => ClaimedName::link(real, &path),
            });
            error = match claimed {
                Ok(claim) => return Ok(Backup { path, claim: Some(claim) }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename => error,
                // A file system without hard links.
                Err(_) if copy.is_none() && own.is_some() => {
                    let mut made = copy_file(real, folder_of(real))?;
                    match made.claim(&path) {
                        Ok(claim) => return Ok(Backup { path, claim: Some(claim) }),
                        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                            copy = Some(made);
                            continue;
                        }
                        Err(error) => return Err(error),
                    }
                }
                Err(error) => return Err(error),
            };
            break;
        }
    }
    Err(error)
}

/// Gives a copy of a file the name of its backup, named after the path `stem`.
pub fn claim_copy(stem: &Path, mut copy: TempFile) -> io::Result<Backup> {
    let mut error = io::Error::from(io::ErrorKind::InvalidFilename);
    for length in LENGTHS {
        for path in candidate_names(stem, length) {
            match journal::check_journal_name(&path).and_then(|()| copy.claim(&path)) {
                Ok(claim) => return Ok(Backup { path, claim: Some(claim) }),
                Err(other) if other.kind() == io::ErrorKind::AlreadyExists => {}
                Err(other) if other.kind() == io::ErrorKind::InvalidFilename => {
                    error = other;
                    break;
                }
                Err(other) => return Err(other),
            }
        }
    }
    Err(error)
}

/// Number of hard links of a file that are backups of its current state, left by runs that were killed before they
/// replaced it.
#[cfg(unix)]
pub fn link_count(real: &Path) -> u64 {
    let own = FileIdentity::of(real);
    let has_no_room = |path: &Path| {
        journal::check_journal_name(path).is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    };
    let of = |length| {
        let there =
            candidate_names(real, length).take_while(|path| path.symlink_metadata().is_ok() || has_no_room(path));
        there.filter(|path| own.is_some() && FileIdentity::of(path) == own).count() as u64
    };
    let is_cut = |length: &usize| file_name(real).len() + ".bak".len() + journal::ENDING.len() > *length;
    let short = LENGTHS.into_iter().filter(|length| *length == usize::MAX || is_cut(length));
    short.map(of).max().unwrap_or(0)
}

/// True if a hard link of the file could not be removed again: in a sticky folder, if the file is owned by
/// somebody else.
#[cfg(unix)]
fn needs_copy(real: &Path) -> bool {
    // A pipe has nothing to copy.
    let is_file = std::fs::metadata(real).is_ok_and(|meta| meta.is_file());
    let folder = std::fs::metadata(folder_of(real));
    is_file && folder.is_ok_and(|meta| std::os::unix::fs::MetadataExt::mode(&meta) & 0o1000 != 0)
}

/// Always: no name of a file that a program has open can be removed.
#[cfg(not(unix))]
fn needs_copy(_: &Path) -> bool {
    true
}

fn folder_of(real: &Path) -> &Path {
    real.parent().unwrap_or(Path::new("."))
}

fn copy_file(real: &Path, folder: &Path) -> io::Result<TempFile> {
    let (mut from, mut copy) = (File::open(real)?, TempFile::beside(folder, false)?);
    io::copy(&mut from, copy.file()?)?;
    metadata::copy_attributes(&from, copy.file()?)?;
    copy.file()?.sync_all()?;
    Ok(copy)
}

fn file_name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// The candidate names of backups, in order. With the extension of its journal each has at most `length` bytes.
fn candidate_names(real: &Path, length: usize) -> impl Iterator<Item = PathBuf> {
    (0u32..).map(move |n| {
        let ending = if n == 0 { ".bak".to_owned() } else { format!(".bak.{n}") };
        let mut name = truncate_name(file_name(real), length.saturating_sub(ending.len() + journal::ENDING.len()));
        name.push(ending);
        real.with_file_name(name)
    })
}

/// The path of a file's first backup, if it exists.
pub fn first_backup(real: &Path) -> Option<PathBuf> {
    LENGTHS
        .into_iter()
        .find_map(|length| candidate_names(real, length).next().filter(|path| path.symlink_metadata().is_ok()))
}

/// The possible stems of the names of a file's backups: its own name, truncated if it is long.
pub fn stems(name: &OsStr) -> impl Iterator<Item = OsString> {
    let longest_ending = ".bak.4294967295".len() + journal::ENDING.len();
    let shortest = LENGTHS.into_iter().min().unwrap_or(0).saturating_sub(longest_ending);
    let mut stems: Vec<OsString> =
        (shortest.min(name.len())..=name.len()).map(|length| truncate_name(name, length)).collect();
    stems.dedup();
    stems.into_iter()
}

/// Truncates a name to `length` bytes at a character boundary.
fn truncate_name(name: &OsStr, length: usize) -> OsString {
    if name.len() <= length {
        return name.to_owned();
    }
    if let Some(text) = name.to_str() {
        let end = (0..=length).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        return text[..end].into();
    }
    #[cfg(unix)]
    return <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name.as_encoded_bytes().split_at(length).0)
        .to_owned();
    #[cfg(not(unix))]
    name.to_string_lossy().chars().take(length / 4).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_too_long_are_cut() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        // 2 bytes each, so that the cut falls into one of them.
        let long = dir.path().join(format!("xx{}", "é".repeat(126)));
        std::fs::write(&long, "old")?;
        let mut kept = Vec::new();
        for ending in ["é.bak", ".bak.1"] {
            let mut backup = create(&long, &long)?;
            let name = backup.path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
            assert!(name.ends_with(ending) && name.len() <= 255, "{name}");
            // As if the file had been replaced.
            std::fs::remove_file(&long)?;
            std::fs::write(&long, "new")?;
            kept.push(backup.claim.take());
        }
        drop(kept);
        assert_eq!(std::fs::read_dir(dir.path())?.count(), 3, "the last name of a file stays");
        drop(create(&long, &long)?);
        let left = 3;
        assert_eq!(std::fs::read_dir(dir.path())?.count(), left, "a backup of a file that was not replaced goes");
        Ok(())
    }

    #[test]
    fn a_folder_of_backups_mirrors_the_file_system() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("a/s.jsonl");
        std::fs::create_dir(dir.path().join("a"))?;
        std::fs::write(&path, "old")?;
        let place = BackupPlace::Folder(dir.path().join("backups").into());
        let stem = place.stem_of(&path)?.expect("a path");
        assert!(stem.starts_with(dir.path().join("backups")) && stem.ends_with("a/s.jsonl"), "{stem:?}");
        let kept = ["s.jsonl.bak", "s.jsonl.bak.1"].map(|name| {
            let backup = create(&path, &stem).expect("a backup");
            assert_eq!(backup.path.file_name(), Some(OsStr::new(name)));
            assert_eq!(std::fs::read(&backup.path).expect("readable"), b"old");
            backup
        });
        drop(kept);
        assert_eq!(std::fs::read_dir(dir.path().join("a"))?.count(), 1, "nothing is left beside the file");
        assert_eq!(BackupPlace::Nowhere.stem_of(&path)?, None);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_backup_that_is_there_is_not_made_again() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = dir.path().join("a");
        std::fs::write(&path, "old")?;
        std::fs::write(dir.path().join("a.bak"), "older")?;
        std::fs::hard_link(&path, dir.path().join("a.bak.1"))?;
        #[cfg(unix)]
        assert_eq!(link_count(&path), 1);
        let backup = create(&path, &path)?;
        assert_eq!(backup.path, dir.path().join("a.bak.1"));
        assert!(backup.claim.is_none());
        Ok(())
    }
}
