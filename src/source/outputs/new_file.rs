//! Output files. A file gets its name, and replaces an old one, in one step when it is saved; until then the old
//! one can be read. A device or a pipe (`-o /dev/stdout`) is written to directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::commit::{CommitError, check_replaceable, copy, sync_folder};
use super::metadata;
use super::pipe::PipeWriter;
use super::temp::TempFile;
use crate::source::bytes::read::ReadAt;
use crate::source::identity::{follow_broken_links, follow_links};

/// What to do if the file already exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExistingFile {
    Refuse,
    Replace,
}

/// A file that is being written.
pub struct NewFile {
    path: PathBuf,
    existing: ExistingFile,
    to: OutputTarget,
}

enum OutputTarget {
    /// The temporary file, and the real path of the output.
    TempFile(BufWriter<TempFile>, PathBuf),
    Device(PipeWriter<File>),
}

impl NewFile {
    /// Creates an output file that is readable only by its owner if it is new, and the folders that it is in.
    pub fn create_with_folders(path: &Path, existing: ExistingFile) -> Result<NewFile, CommitError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| CommitError::Io { path: folder.to_owned(), error })?;
        }
        NewFile::create(path, true, existing)
    }

    /// Creates an output file. `private`: a new file is readable only by its owner.
    pub fn create(path: &Path, private: bool, existing: ExistingFile) -> Result<NewFile, CommitError> {
        let failed = |error| CommitError::Io { path: path.to_owned(), error };
        let meta = fs::metadata(path).ok();
        if meta.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let to = if meta.as_ref().is_some_and(|meta| !meta.is_file()) {
            OutputTarget::Device(PipeWriter::new(OpenOptions::new().write(true).open(path).map_err(failed)?))
        } else if meta.is_some() && existing == ExistingFile::Refuse {
            return Err(CommitError::Exists(path.to_owned()));
        } else {
            meta.as_ref().map_or(Ok(()), |meta| check_replaceable(path, meta))?;
            let follow = if meta.is_some() { follow_links } else { follow_broken_links };
            let real = follow(path).map_err(failed)?;
            let folder = folder_of(&real).to_owned();
            let temp = TempFile::beside(&folder, !private);
            let temp = temp.map_err(|error| CommitError::Folder { path: path.to_owned(), folder, error })?;
            OutputTarget::TempFile(BufWriter::with_capacity(1 << 16, temp), real)
        };
        Ok(NewFile { path: path.to_owned(), existing, to })
    }

    /// Gives the file its name. Returns the metadata of the replaced file that could not be kept, in words.
    pub fn save(self) -> Result<Vec<String>, CommitError> {
        let failed = |error| CommitError::Io { path: self.path.clone(), error };
        let (temp, real) = match self.to {
            OutputTarget::Device(mut file) => return file.flush().map(|()| Vec::new()).map_err(failed),
            OutputTarget::TempFile(temp, real) => (temp, real),
        };
        let mut temp = temp.into_inner().map_err(|e| failed(e.into_error()))?;
        let file = temp.file().map_err(failed)?;
        let lost = match (self.existing, File::open(&real)) {
            (ExistingFile::Replace, Ok(old)) => Some(metadata::copy_attributes(&old, file).map_err(failed)?),
            (ExistingFile::Replace, Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                Some(vec!["owner, permissions and extended attributes".to_owned()])
            }
            _ => None,
        };
        file.sync_all().map_err(failed)?;
        temp.persist(&real, self.existing == ExistingFile::Replace, None).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CommitError::Exists(self.path.clone()),
            _ => failed(error),
        })?;
        // A new file that a crash of the system removes can be made again.
        if lost.is_some() {
            sync_folder(folder_of(&real));
        }
        Ok(lost.unwrap_or_default())
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            OutputTarget::TempFile(temp, _) => temp.write(bytes),
            OutputTarget::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            OutputTarget::TempFile(temp, _) => temp.flush(),
            OutputTarget::Device(file) => file.flush(),
        }
    }
}

/// Offset of the first byte that is not UTF-8; `None` if all are. Output that is not UTF-8 is never written.
pub fn invalid_utf8_offset(bytes: &dyn ReadAt, from: u64, to: u64) -> io::Result<Option<u64>> {
    if let Some(text) = bytes.in_memory().and_then(|all| all.get(from as usize..to as usize))
        && simdutf8::basic::from_utf8(text).is_ok()
    {
        return Ok(None);
    }
    let (mut at, mut text) = (from, Vec::new());
    while at < to {
        let want = (to - at).min(STEP) as usize;
        text.clear();
        bytes.read_into(at, want, &mut text)?;
        match std::str::from_utf8(&text) {
            Ok(_) => at += want as u64,
            // A character may be split by the end of the step, but not by that of the bytes.
            Err(error) if error.error_len().is_none() && at + (want as u64) < to && error.valid_up_to() > 0 => {
                at += error.valid_up_to() as u64;
            }
            Err(error) => return Ok(Some(at + error.valid_up_to() as u64)),
        }
    }
    Ok(None)
}

/// Bytes read at a time.
const STEP: u64 = 1 << 20;

/// Writes an output file: a new one readable only by its owner, or one with the metadata of the replaced file.
/// Returns the metadata that could not be kept.
pub fn write_new(path: &Path, bytes: &dyn ReadAt, existing: ExistingFile) -> Result<Vec<String>, CommitError> {
    let mut file = NewFile::create_with_folders(path, existing)?;
    copy(bytes, &mut file).map_err(|error| CommitError::Io { path: path.to_owned(), error })?;
    file.save()
}
