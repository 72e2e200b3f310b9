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

/// The edits that rows of a database, or files that are read as one doc, allow. None can be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RowAccess {
    /// Read-only.
    ReadOnly,
    /// They can be changed but not removed, because others refer to them.
    Editable,
    /// They can be changed and removed.
    Removable,
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
