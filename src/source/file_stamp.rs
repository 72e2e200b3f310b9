//! What a file looked like when it was opened, and how its bytes are packed.

use std::fs::Metadata;
use std::time::SystemTime;

/// How the bytes lie on the disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    Plain,
    Gzip,
    Zstd,
    /// It is a file in an archive.
    Member,
    /// It is one of the files of a session, which is read as a whole.
    Shared,
}

impl Packing {
    pub fn of(head: &[u8]) -> Self {
        if head.starts_with(&[0x1f, 0x8b]) {
            Packing::Gzip
        } else if head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Packing::Zstd
        } else {
            Packing::Plain
        }
    }
}

/// What a file looked like when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    pub len: u64,
    pub modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    pub fn of(meta: &Metadata) -> Self {
        Stamp {
            len: meta.len(),
            modified: meta.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(meta),
        }
    }

    /// Whether it is the same file, of which nothing is missing; more may have been appended.
    pub fn continues(&self, earlier: &Stamp) -> bool {
        #[cfg(unix)]
        let same = self.inode == earlier.inode;
        #[cfg(not(unix))]
        let same = true;
        same && self.len >= earlier.len
    }
}
