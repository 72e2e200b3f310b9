//! Zip archives: each file in one is a doc of its own, which is read and never written back. An archive may lie about itself:
//! what is unpacked is counted, and an end is put to what grows out of proportion.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;
use zip::result::ZipError;

use super::unpack::Limited;

/// Files in an archive, at most.
const MOST_MEMBERS: usize = 20_000;

/// How many times as long as it is packed a file may become, once it is longer than [`FREE_BYTES`].
const MOST_RATIO: u64 = 400;
const FREE_BYTES: u64 = 16 << 20;

const BOMB: &str = "unpacks to far more than its packed size, as a zip bomb does; it was not read";

/// A file in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub archive: PathBuf,
    pub index: usize,
    pub name: String,
}

impl Member {
    /// As printed.
    pub fn label(&self) -> String {
        format!("{}: {}", self.archive.to_string_lossy(), self.name)
    }

    /// Where a copy of it lies, below a folder.
    pub fn path(&self) -> PathBuf {
        self.archive.join(&self.name)
    }

    /// Unpacks it, up to a limit, into what `spool` makes of a stream. Gives also how long it was when it was packed.
    pub fn unpack<T>(
        &self,
        most: u64,
        spool: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> io::Result<(T, u64)> {
        let mut archive = open(&self.archive)?;
        let file = archive.by_index(self.index).map_err(failed)?;
        let packed = file.compressed_size();
        let in_proportion = packed.saturating_mul(MOST_RATIO).max(FREE_BYTES);
        let mut limited = match in_proportion < most {
            true => Limited::because(file, in_proportion, BOMB),
            false => Limited::new(file, most),
        };
        Ok((spool(&mut limited)?, packed))
    }
}

/// Whether the first bytes are those of an archive.
pub fn is_archive(path: &Path) -> bool {
    // What is read from a pipe is gone.
    if !std::fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let mut head = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && matches!(&head, b"PK\x03\x04" | b"PK\x05\x06")
}

/// The files in an archive whose names are wanted, in its order.
pub fn members(path: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<Member>> {
    let mut archive = open(path)?;
    if archive.len() > MOST_MEMBERS {
        return Err(io::Error::other(format!("contains more than {MOST_MEMBERS} files")));
    }
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index).map_err(failed)?;
        let Ok(name) = file.name().map(|name| name.into_owned()) else { continue };
        if file.is_file() && wanted(Path::new(&name)) {
            found.push(Member { archive: path.to_owned(), index, name });
        }
    }
    Ok(found)
}

fn open(path: &Path) -> io::Result<ZipArchive<BufReader<File>>> {
    ZipArchive::new(BufReader::new(File::open(path)?)).map_err(failed)
}

fn failed(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        ZipError::UnsupportedArchive(why) => io::Error::other(format!("cannot be unpacked: {why}")),
        other => io::Error::other(format!("not a readable zip archive: {other}")),
    }
}
