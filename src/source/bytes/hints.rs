//! What is known of bytes before anybody looks at them: those that were taken out of a database were found by its tables.

/// What is known of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Lines, each of which is a record of a format.
    Lines {
        /// The name of the format.
        format: &'static str,
        /// Each line stands for a row or a file.
        rows: Rows,
    },
    /// A database that is not read.
    Unread(NotRead),
}

/// What can be done to rows of a database, or to the files that are read as one: none can be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// They are only read.
    Read,
    /// They can be changed, and others refer to them.
    Changed,
    /// They can be changed and removed.
    Removed,
}

/// Why a database is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotRead {
    /// This build has no code for databases.
    Unsupported,
    /// None of its tables are those of a store that is known.
    Foreign,
    /// The same, or its tables are empty, and the file that holds what was written last is missing.
    WithoutLog,
    /// The tables of a known store, without a row.
    Empty,
    /// The session is encrypted.
    Sealed,
}
