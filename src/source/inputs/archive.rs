//! Zip archives: each file in one is a doc of its own, which is read and never written back. The sizes that an
//! archive declares may be wrong, so decompressed bytes are counted and limited.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::unpack::LimitedReader;

/// Maximum number of files in an archive.
const MOST_MEMBERS: usize = 20_000;

/// Maximum ratio of decompressed to compressed size, for files longer than [`FREE_BYTES`].
const MOST_RATIO: u64 = 400;
const FREE_BYTES: u64 = 16 << 20;

const BOMB: &str = "decompresses to far more than its compressed size, like a zip bomb; it was not read";

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveMember {
    pub archive: PathBuf,
    pub index: usize,
    pub name: String,
}

impl ArchiveMember {
    /// The printed name.
    pub fn label(&self) -> String {
        format!("{}: {}", self.archive.to_string_lossy(), self.name)
    }

    /// The path of a copy in a folder named like the archive.
    pub fn path(&self) -> PathBuf {
        self.archive.join(&self.name)
    }

    /// Decompresses it, up to `most` bytes, and passes the stream to `spool`. Returns its result and the
    /// compressed size.
    pub fn unpack<T>(
        &self,
        most: u64,
        spool: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> io::Result<(T, u64)> {
        let mut archive = open(&self.archive)?;
        let file = archive.by_index(self.index).map_err(zip_error)?;
        let packed = file.compressed_size();
        let in_proportion = packed.saturating_mul(MOST_RATIO).max(FREE_BYTES);
        let mut limited = match in_proportion < most {
            true => LimitedReader::with_reason(file, in_proportion, BOMB),
            false => LimitedReader::new(file, most),
        };
        Ok((spool(&mut limited)?, packed))
    }
}

/// True if the file begins with the magic bytes of a zip archive.
pub fn is_archive(path: &Path) -> bool {
    // Reading from a pipe would consume it.
    if !std::fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let mut head = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && matches!(&head, b"PK\x03\x04" | b"PK\x05\x06")
}

/// The files in an archive whose names are `wanted`, in its order.
pub fn members(path: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<ArchiveMember>> {
    let mut archive = open(path)?;
    if archive.len() > MOST_MEMBERS {
        return Err(io::Error::other(format!("contains more than {MOST_MEMBERS} files")));
    }
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(zip_error)?;
        let Ok(name) = file.name().map(|name| name.into_owned()) else { continue };
        if file.is_file() && wanted(Path::new(&name)) {
            found.push(ArchiveMember { archive: path.to_owned(), index, name });
        }
    }
    Ok(found)
}

fn open(path: &Path) -> io::Result<ZipArchive<BufReader<File>>> {
    ZipArchive::new(BufReader::new(File::open(path)?)).map_err(zip_error)
}

fn zip_error(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        ZipError::UnsupportedArchive(why) => io::Error::other(format!("cannot be decompressed: {why}")),
        other => io::Error::other(format!("not a readable zip archive: {other}")),
    }
}
