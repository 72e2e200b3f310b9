//! Writing. A file is replaced in one step: the new bytes go to a temporary file in the same folder, reach the disk,
//! and take the old name; the old file stays beside it as a backup that never overwrites another. A file that somebody
//! else may be writing is left alone: a live agent that holds it open would go on writing to the backup.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

use super::doc::{Doc, Sequential, Stamp};
use super::read::ReadAt;

/// A file that was written to this short a time ago may still be in use.
const SETTLED: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    #[error("{}: changed while it was read; nothing was written (--force overrides)", .0.display())]
    Changed(PathBuf),
    #[error(
        "{}: was written to in the last 10 seconds and may still be in use; nothing was written (--force overrides)",
        .0.display()
    )]
    Fresh(PathBuf),
    #[error("{}: is compressed; use -o FILE to write a plain copy", .0.display())]
    Packed(PathBuf),
    #[error("{}", super::words(&path.display(), error))]
    Io { path: PathBuf, error: io::Error },
}

/// How to replace a file.
#[derive(Clone, Copy, Debug)]
pub struct Replace {
    pub backup: bool,
    pub force: bool,
}

/// Replaces the file of a doc by `bytes`. Returns the backup's path.
pub fn replace(doc: &Doc, bytes: &dyn ReadAt, how: Replace) -> Result<Option<PathBuf>, CommitError> {
    let Some(path) = &doc.path else { return Ok(None) };
    if doc.packing != super::Packing::Plain {
        return Err(CommitError::Packed(path.clone()));
    }
    let failed = |error| CommitError::Io { path: path.clone(), error };
    // A link stays a link: what it leads to is replaced.
    let real = fs::canonicalize(path).map_err(failed)?;
    let folder = real.parent().unwrap_or(Path::new("."));
    let meta = fs::metadata(&real).map_err(failed)?;
    check_settled(doc, path, &meta, how)?;

    let mut temp = tempfile::Builder::new().prefix(".replaylint-").tempfile_in(folder).map_err(failed)?;
    bytes.append_to(0, bytes.len(), temp.as_file_mut()).map_err(failed)?;
    temp.as_file().set_permissions(meta.permissions()).map_err(failed)?;
    temp.as_file().sync_all().map_err(failed)?;
    // Writing took time: look again before the old name goes to the new bytes.
    check_settled(doc, path, &fs::metadata(&real).map_err(failed)?, how)?;
    let backup = if how.backup { Some(back_up(&real).map_err(failed)?) } else { None };
    temp.persist(&real).map_err(|e| failed(e.error))?;
    sync_folder(folder);
    Ok(backup)
}

fn check_settled(doc: &Doc, path: &Path, meta: &fs::Metadata, how: Replace) -> Result<(), CommitError> {
    if how.force {
        return Ok(());
    }
    if doc.stamp != Some(Stamp::of(meta)) {
        return Err(CommitError::Changed(path.to_owned()));
    }
    let age = meta.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
    if age.is_none_or(|age| age < SETTLED) {
        return Err(CommitError::Fresh(path.to_owned()));
    }
    Ok(())
}

/// Gives the file a second name, `<name>.bak` or the first free `<name>.bak.N`.
fn back_up(real: &Path) -> io::Result<PathBuf> {
    for n in 0.. {
        let mut name = real.as_os_str().to_owned();
        name.push(".bak");
        if n > 0 {
            name.push(format!(".{n}"));
        }
        let backup = PathBuf::from(name);
        match fs::hard_link(real, &backup) {
            Ok(()) => return Ok(backup),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            // A file system without hard links.
            Err(_) => match OpenOptions::new().write(true).create_new(true).open(&backup) {
                Ok(mut out) => {
                    let mut from = File::open(real)?;
                    out.set_permissions(from.metadata()?.permissions())?;
                    io::copy(&mut from, &mut out)?;
                    out.sync_all()?;
                    return Ok(backup);
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            },
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Makes the rename itself durable, where folders can be synced.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        // Not every file system can; the file's own bytes are on the disk already.
        let _ = folder.sync_all();
    }
}

/// Writes a new file that only its owner may read. An existing one is replaced in one step.
pub fn write_new(path: &Path, bytes: &dyn ReadAt) -> Result<(), CommitError> {
    let mut file = NewFile::create(path, true)?;
    copy(bytes, &mut file).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save()
}

/// A file that is being written. It gets its name, and replaces an old one, in one step, when it is saved; until then
/// the old one can be read. A device or a pipe (`-o /dev/stdout`) is written to as it is.
pub struct NewFile {
    path: PathBuf,
    to: To,
}

enum To {
    Temp(BufWriter<NamedTempFile>),
    Device(File),
}

impl NewFile {
    /// `private`: only the owner may read it, whatever others may.
    pub fn create(path: &Path, private: bool) -> Result<NewFile, CommitError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        let meta = fs::metadata(path).ok();
        let to = if meta.as_ref().is_some_and(|meta| !meta.is_file() && !meta.is_dir()) {
            To::Device(OpenOptions::new().write(true).open(path).map_err(failed)?)
        } else if meta.is_some_and(|meta| meta.is_dir()) {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        } else {
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                _ => Path::new("."),
            };
            let mut builder = tempfile::Builder::new();
            #[cfg(unix)]
            if !private {
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            }
            #[cfg(not(unix))]
            let _ = private;
            let temp = builder.prefix(".replaylint-").tempfile_in(folder).map_err(failed)?;
            To::Temp(BufWriter::with_capacity(1 << 16, temp))
        };
        Ok(NewFile { path: path.to_owned(), to })
    }

    /// Gives the file its name.
    pub fn save(self) -> Result<(), CommitError> {
        let failed = |error| CommitError::Io { path: self.path.clone(), error };
        match self.to {
            To::Device(mut file) => file.flush().map_err(failed),
            To::Temp(temp) => {
                let temp = temp.into_inner().map_err(|e| failed(e.into_error()))?;
                temp.persist(&self.path).map(|_| ()).map_err(|e| failed(e.error))
            }
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Temp(temp) => temp.write(bytes),
            To::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Temp(temp) => temp.flush(),
            To::Device(file) => file.flush(),
        }
    }
}

/// Copies a doc to a stream.
pub fn copy(bytes: &dyn ReadAt, out: &mut dyn Write) -> io::Result<()> {
    let mut from = io::BufReader::with_capacity(1 << 20, Sequential::new(bytes));
    let copied = io::copy(&mut from, out)?;
    out.flush()?;
    if copied < bytes.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::DocId;
    use crate::source::Input;

    fn old_file(dir: &Path, content: &str) -> io::Result<PathBuf> {
        let path = dir.join("a.jsonl");
        fs::write(&path, content)?;
        let past = SystemTime::now() - Duration::from_secs(60);
        File::options().write(true).open(&path)?.set_modified(past)?;
        Ok(path)
    }

    const HOW: Replace = Replace { backup: true, force: false };

    #[test]
    fn a_file_is_replaced_and_every_backup_is_kept() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        for (n, name) in ["a.jsonl.bak", "a.jsonl.bak.1"].iter().enumerate() {
            let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, None)?;
            let how = Replace { force: n > 0, ..HOW };
            let backup = replace(&doc, &format!("new {n}").into_bytes(), how).expect("written");
            assert_eq!(backup.and_then(|p| p.file_name().map(ToOwned::to_owned)), Some((*name).into()));
        }
        assert_eq!(fs::read_to_string(&path)?, "new 1");
        assert_eq!(fs::read_to_string(dir.path().join("a.jsonl.bak"))?, "old");
        assert_eq!(fs::read_dir(dir.path())?.count(), 3);
        Ok(())
    }

    #[test]
    fn a_file_in_use_is_left_alone() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, None)?;
        fs::write(&path, "old and more")?;
        assert!(matches!(replace(&doc, &b"new".to_vec(), HOW), Err(CommitError::Changed(_))));
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, None)?;
        assert!(matches!(replace(&doc, &b"new".to_vec(), HOW), Err(CommitError::Fresh(_))));
        assert_eq!(fs::read_to_string(&path)?, "old and more");
        assert_eq!(fs::read_dir(dir.path())?.count(), 1);
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_new_files_are_private() -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir()?;
        let path = old_file(dir.path(), "old")?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640))?;
        let doc = Doc::open(DocId(0), &Input::File { path: path.clone(), named: true }, None)?;
        replace(&doc, &b"new".to_vec(), HOW).expect("written");
        assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o640);
        let copy = dir.path().join("copy");
        write_new(&copy, &b"x".to_vec()).expect("written");
        assert_eq!(fs::metadata(&copy)?.permissions().mode() & 0o777, 0o600);
        let report = dir.path().join("report");
        NewFile::create(&report, false).and_then(NewFile::save).expect("written");
        let plain = dir.path().join("plain");
        fs::write(&plain, "")?;
        assert_eq!(fs::metadata(&report)?.permissions(), fs::metadata(&plain)?.permissions());
        Ok(())
    }
}
