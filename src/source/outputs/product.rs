//! A file that is being written. It gets its name, and replaces an old one, in one step, when it is saved; until then the
//! old one can be read. A device or a pipe (`-o /dev/stdout`) is written to as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::commit::{CommitError, check_replaceable, copy, sync_folder};
use super::metadata;
use super::pipe::Piped;
use super::temp::Temp;
use crate::source::bytes::read::ReadAt;
use crate::source::identity::follow;

/// What to do about a file that has the name already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    Refuse,
    Replace,
}

/// A file that is being written.
pub struct NewFile {
    path: PathBuf,
    existing: Existing,
    to: To,
}

enum To {
    /// The temporary file, and the path that links lead to.
    Temp(BufWriter<Temp>, PathBuf),
    Device(Piped<File>),
}

impl NewFile {
    /// `private`: if the file is new, only its owner may read it, whatever others may.
    pub fn create(path: &Path, private: bool, existing: Existing) -> Result<NewFile, CommitError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        let meta = fs::metadata(path).ok();
        if meta.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let to = if meta.as_ref().is_some_and(|meta| !meta.is_file()) {
            To::Device(Piped::new(OpenOptions::new().write(true).open(path).map_err(failed)?))
        } else if meta.is_some() && existing == Existing::Refuse {
            return Err(CommitError::Exists(path.to_owned()));
        } else {
            meta.as_ref().map_or(Ok(()), |meta| check_replaceable(path, meta))?;
            let real = follow(path).map_err(failed)?;
            let folder = folder_of(&real).to_owned();
            let temp = Temp::beside(&folder, !private);
            let temp = temp.map_err(|error| CommitError::Folder { path: path.to_owned(), folder, error })?;
            To::Temp(BufWriter::with_capacity(1 << 16, temp), real)
        };
        Ok(NewFile { path: path.to_owned(), existing, to })
    }

    /// Gives the file its name. Returns what it could not keep of the one that it replaces, in words.
    pub fn save(self) -> Result<Vec<String>, CommitError> {
        let failed = |error| CommitError::Io { path: self.path.clone(), error };
        let (temp, real) = match self.to {
            To::Device(mut file) => return file.flush().map(|()| Vec::new()).map_err(failed),
            To::Temp(temp, real) => (temp, real),
        };
        let mut temp = temp.into_inner().map_err(|e| failed(e.into_error()))?;
        let file = temp.file().map_err(failed)?;
        let lost = match (self.existing, File::open(&real)) {
            (Existing::Replace, Ok(old)) => metadata::attributes(&old, file).map_err(failed)?,
            (Existing::Replace, Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                vec!["owner, permissions and extended attributes".to_owned()]
            }
            _ => Vec::new(),
        };
        file.sync_all().map_err(failed)?;
        temp.name(&real, self.existing == Existing::Replace, None).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CommitError::Exists(self.path.clone()),
            _ => failed(error),
        })?;
        sync_folder(folder_of(&real));
        Ok(lost)
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Temp(temp, _) => temp.write(bytes),
            To::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Temp(temp, _) => temp.flush(),
            To::Device(file) => file.flush(),
        }
    }
}

/// Where bytes stop being UTF-8; `None` if all of them are. A product that is not is never written.
pub fn not_unicode_at(bytes: &dyn ReadAt, from: u64, to: u64) -> io::Result<Option<u64>> {
    let (mut at, mut text) = (from, Vec::new());
    while at < to {
        let want = (to - at).min(STEP) as usize;
        text.clear();
        bytes.read_into(at, want, &mut text)?;
        match std::str::from_utf8(&text) {
            Ok(_) => at += want as u64,
            // A character may be cut by the end of the step, but not by that of the bytes.
            Err(error) if error.error_len().is_none() && at + (want as u64) < to && error.valid_up_to() > 0 => {
                at += error.valid_up_to() as u64;
            }
            Err(error) => return Ok(Some(at + error.valid_up_to() as u64)),
        }
    }
    Ok(None)
}

/// As much is read at a time.
const STEP: u64 = 1 << 20;

/// Writes a product: a file that only its owner may read, or one that keeps what an old one had. Returns what it could
/// not keep.
pub fn write_new(path: &Path, bytes: &dyn ReadAt, existing: Existing) -> Result<Vec<String>, CommitError> {
    let mut file = NewFile::create(path, true, existing)?;
    copy(bytes, &mut file).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save()
}
