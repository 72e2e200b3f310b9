//! The state of a file when it was opened, and its packing.

use std::fs::Metadata;
use std::time::SystemTime;

/// The form in which the bytes are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    Plain,
    Gzip,
    Zstd,
    /// A file in an archive.
    Member,
    /// One of several files that are read as one session.
    Shared,
}

impl Packing {
    /// The packing, by the magic bytes at the start of a file.
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

/// The state of a file when it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStamp {
    pub len: u64,
    pub modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl FileStamp {
    pub fn of(meta: &Metadata) -> Self {
        FileStamp {
            len: meta.len(),
            modified: meta.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(meta),
        }
    }

    /// True if this is the same file and it has not shrunk; it may have grown.
    pub fn continues(&self, earlier: &FileStamp) -> bool {
        #[cfg(unix)]
        let same = self.inode == earlier.inode;
        #[cfg(not(unix))]
        let same = true;
        same && self.len >= earlier.len
    }
}
