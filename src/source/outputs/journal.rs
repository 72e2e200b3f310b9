//! What a backup was made for: beside `<name>.bak` lies `<name>.bak.json`, which names by its hash what the run wrote, and
//! what it kept. A backup is put back only where both are still as the journal says, so that nothing is lost that came
//! after the run.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::temp::Temp;

const VERSION: u32 = 1;
const ENDING: &str = ".json";

/// No journal is longer. Another file with such a name is not read any further.
const LONGEST: u64 = 8 << 10;

/// The journal of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    version: u32,
    /// The version of the program that wrote the file.
    replaylint: String,
    /// The name of the file, which that of a backup may be too short for.
    pub file: String,
    /// The file as the run left it.
    pub written: Content,
    /// The file as it was before.
    pub backup: Content,
    /// Milliseconds since 1970.
    pub time: u64,
}

/// What a file holds: two files with one content are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    sha256: String,
    bytes: u64,
}

impl Content {
    /// The content of an open file, from its beginning to its end.
    pub fn of(mut file: &File) -> io::Result<Content> {
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
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Content { sha256, bytes })
    }
}

impl Journal {
    pub fn new(real: &Path, written: Content, backup: Content) -> Journal {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Journal {
            version: VERSION,
            replaylint: env!("CARGO_PKG_VERSION").to_owned(),
            file: name_of(real),
            written,
            backup,
            time: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// The journal at a path; `None` if the file there is not one.
    pub fn read(path: &Path) -> Option<Journal> {
        // A pipe of that name would be waited for.
        let is_file = fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST);
        let text = is_file.then(|| fs::read(path).ok()).flatten()?;
        serde_json::from_slice(&text).ok().filter(|journal: &Journal| journal.version == VERSION)
    }

    /// Whether it is about this file.
    pub fn is_of(&self, real: &Path) -> bool {
        self.file == name_of(real)
    }

    /// The journal as a file that has yet to get its name. Like the backup it tells of a conversation, so only its owner
    /// may read it.
    pub fn prepared(&self, folder: &Path) -> io::Result<Temp> {
        let mut temp = Temp::beside(folder, false)?;
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

/// Where the journal of a backup is.
pub fn path(backup: &Path) -> PathBuf {
    let mut name = OsString::from(backup);
    name.push(ENDING);
    name.into()
}

/// The backup that a file is the journal of, by its name.
pub fn backup_of(journal: &Path) -> Option<PathBuf> {
    let backup = journal.with_extension("");
    let is_named_so = journal.extension().is_some_and(|ending| ending == "json") && stem(&backup).is_some();
    is_named_so.then_some(backup)
}

/// The name of the file that a path is the backup of, as far as it was not cut, and the number of the backup.
pub fn stem(path: &Path) -> Option<(&OsStr, u32)> {
    let ending = path.extension()?.to_str()?;
    if ending == "bak" {
        return Some((path.file_stem()?, 0));
    }
    let above = Path::new(path.file_stem()?);
    let number = ending.parse().ok().filter(|_| above.extension().is_some_and(|ending| ending == "bak"))?;
    Some((above.file_stem()?, number))
}

/// Whether a file is a journal. It is ours, so nobody is told that it holds no conversation.
pub fn is_journal(path: &Path) -> bool {
    backup_of(path).is_some() && Journal::read(path).is_some()
}

/// Makes sure that a backup of this name can have its journal: no other file has that name.
pub fn check_room(backup: &Path) -> io::Result<()> {
    let path = path(backup);
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
    fn a_journal_is_told_by_its_name_and_by_what_it_holds() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let file = dir.path().join("a.json");
        fs::write(&file, "new")?;
        let content = Content::of(&File::open(&file)?)?;
        assert_eq!(content.bytes, 3);
        assert!(content.sha256.starts_with("11507a0e2f5e69d5"), "{}", content.sha256);
        let journal = Journal::new(&file, content.clone(), content);
        let text = serde_json::to_vec(&journal)?;
        let cases: [(&str, &[u8], bool); 6] = [
            ("a.json.bak.json", &text, true),
            ("a.json.bak.12.json", &text, true),
            ("a.json", &text, false),
            ("a.json.bak.x.json", &text, false),
            ("b.bak.json", b"[{\"role\":\"user\",\"content\":\"hi\"}]", false),
            ("c.bak.json", b"{\"version\":1}", false),
        ];
        for (name, text, expected) in cases {
            let path = dir.path().join(name);
            fs::write(&path, text)?;
            assert_eq!(is_journal(&path), expected, "{name}");
        }
        assert_eq!(Journal::read(&dir.path().join("a.json.bak.json")), Some(journal));
        assert!(
            check_room(&dir.path().join("b.bak")).is_err() && check_room(&dir.path().join("a.json.bak")).is_ok()
        );
        Ok(())
    }
}
