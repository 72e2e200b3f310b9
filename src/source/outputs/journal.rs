//! Journals of backups: `<name>.bak.journal` beside `<name>.bak` contains the hashes of the file that the run wrote
//! and of the backup. A backup is restored only if both still match, so that later changes are not lost.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::source::bytes::digest;

use super::temp::TempFile;

const VERSION: u32 = 1;
/// What the name of a journal adds to that of its backup. Agents open every `.json` file of some folders as a session,
/// so it is another ending.
pub const ENDING: &str = ".journal";

/// Maximum length of a journal in bytes; longer files of such a name are something else.
const MAX_LEN: u64 = 16 << 10;

/// The journal of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// The version of the program that wrote the file.
    replaylint: String,
    /// The name of the file; that of the backup may be truncated.
    pub file: String,
    /// The path of the file, if the backup is not beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Digest of the file as the run wrote it.
    pub written: FileDigest,
    /// Digest of the file as it was before.
    pub backup: FileDigest,
    /// Time of the run in milliseconds since 1970.
    pub time: u64,
}

/// Hash and length of a file's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    sha256: String,
    bytes: u64,
}

impl FileDigest {
    /// The digest of an open file, from its beginning to its end.
    pub fn of(mut file: &File) -> io::Result<FileDigest> {
        file.rewind()?;
        let (mut hash, mut bytes, mut buf) = (Sha256::new(), 0, vec![0; 1 << 16]);
        loop {
            match file.read(&mut buf) {
                Ok(0) => break,
                Ok(read) => {
                    hash.update(buf.get(..read).unwrap_or_default());
                    bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let sha256 = digest::hex(&hash.finalize());
        Ok(FileDigest { sha256, bytes })
    }
}

impl Journal {
    /// `apart`: the backup is not beside the file.
    pub fn new(real: &Path, written: FileDigest, backup: FileDigest, apart: bool) -> Journal {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Journal {
            version: VERSION,
            replaylint: env!("CARGO_PKG_VERSION").to_owned(),
            file: name_of(real),
            path: apart.then(|| real.to_owned()),
            written,
            backup,
            time: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The journal at a path; `None` if the file there is not one.
    pub fn read(path: &Path) -> Option<Journal> {
        // Opening a pipe of that name would block.
        let is_file = fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_LEN);
        let text = is_file.then(|| fs::read(path).ok()).flatten()?;
        serde_json::from_slice(&text).ok().filter(|journal: &Journal| journal.version == VERSION)
    }

    /// True if it is about this file.
    pub fn is_about(&self, real: &Path) -> bool {
        self.path.as_ref().map_or_else(|| self.file == name_of(real), |path| path == real)
    }

    /// Writes the journal to a temporary file. Only its owner may read it, as it describes a conversation.
    pub fn write_temp_file(&self, folder: &Path) -> io::Result<TempFile> {
        let mut temp = TempFile::beside(folder, false)?;
        let text = serde_json::to_vec_pretty(self)?;
        temp.write_all(&text)?;
        temp.write_all(b"\n")?;
        temp.file()?.sync_all()?;
        Ok(temp)
    }
}

fn name_of(real: &Path) -> String {
    real.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The path of a backup's journal.
pub fn journal_path(backup: &Path) -> PathBuf {
    let mut name = OsString::from(backup);
    name.push(ENDING);
    name.into()
}

/// The backup that a file is the journal of, judged by its name.
pub fn backup_of(journal: &Path) -> Option<PathBuf> {
    let backup = journal.with_extension("");
    let is_named_so = journal_path(&backup) == journal && backup_stem(&backup).is_some();
    is_named_so.then_some(backup)
}

/// The name of the file that a path is a backup of, possibly truncated, and the number of the backup.
pub fn backup_stem(path: &Path) -> Option<(&OsStr, u32)> {
    let ending = path.extension()?.to_str()?;
    if ending == "bak" {
        return Some((path.file_stem()?, 0));
    }
    let above = Path::new(path.file_stem()?);
    let number = ending.parse().ok().filter(|_| above.extension().is_some_and(|ending| ending == "bak"))?;
    Some((above.file_stem()?, number))
}

/// Checks that no other file has the name of this backup's journal.
pub fn check_journal_name(backup: &Path) -> io::Result<()> {
    let path = journal_path(backup);
    match fs::symlink_metadata(&path) {
        Ok(_) if Journal::read(&path).is_none() => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_recognised_by_its_name_and_content() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let file = dir.path().join("a.json");
        fs::write(&file, "new")?;
        let content = FileDigest::of(&File::open(&file)?)?;
        assert_eq!(content.bytes, 3);
        assert!(content.sha256.starts_with("11507a0e2f5e69d5"), "{}", content.sha256);
        let journal = Journal::new(&file, content.clone(), content, false);
        let text = serde_json::to_vec(&journal)?;
        let cases: [(&str, &[u8], bool); 6] = [
            ("a.json.bak.journal", &text, true),
            ("a.json.bak.12.journal", &text, true),
            ("a.json", &text, false),
            ("a.json.bak.x.journal", &text, false),
            ("b.bak.journal", b"[{\"role\":\"user\",\"content\":\"hi\"}]", false),
            ("c.bak.journal", b"{\"version\":1}", false),
        ];
        for (name, text, expected) in cases {
            let path = dir.path().join(name);
            fs::write(&path, text)?;
            let is_journal = backup_of(&path).is_some() && Journal::read(&path).is_some();
            assert_eq!(is_journal, expected, "{name}");
        }
        assert_eq!(Journal::read(&dir.path().join("a.json.bak.journal")), Some(journal));
        assert!(
            check_journal_name(&dir.path().join("b.bak")).is_err()
                && check_journal_name(&dir.path().join("a.json.bak")).is_ok()
        );
        Ok(())
    }
}
