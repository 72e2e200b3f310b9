//! Hints about bytes before they are inspected: those extracted from a database were found by its tables.

/// Facts about bytes that are known in advance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteHints {
    /// Lines, each of which is a record of a format.
    Lines {
        /// The name of the format.
        format: &'static str,
        /// The edits that the rows or files of the lines allow.
        rows: RowAccess,
    },
    /// A database that is not read.
    Unread(UnreadReason),
}

/// The edits that rows of a database, or files that are read as one doc, allow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowAccess {
    /// Read-only.
    ReadOnly,
    /// They can be changed but not removed, because others refer to them.
    Editable,
    /// They can be changed and removed.
    Removable,
    /// They can be changed but not removed, and others can be added after the last one.
    Extendable,
}

/// A fault of a file of a session that consists of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileFault {
    /// The index of the file: that of its line in the doc.
    pub file: usize,
    pub kind: FileFaultKind,
    /// The number in the file's name; 0 if names have none.
    pub number: u32,
}

/// What is wrong with a file of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFaultKind {
    /// The file with the number does not exist; the index is that of the next file.
    MissingNumber,
    /// The file before it has the same number.
    RepeatedNumber,
    Empty,
    NotJson,
    /// Its content does not match its name, which is a digest.
    WrongDigest,
    /// It does not exist, but another file names it.
    Missing,
    /// It names a journal whose records continue the session, and are not read.
    UnreadJournal,
}

/// The reason why a database is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnreadReason {
    /// This build has no code for databases.
    Unsupported,
    /// Its tables match no known store.
    UnknownSchema,
    /// Its tables match no known store or are empty, and the `-wal` file with the latest writes is missing.
    MissingWal,
    /// A known store without rows.
    Empty,
    /// The session is encrypted.
    Encrypted,
}
