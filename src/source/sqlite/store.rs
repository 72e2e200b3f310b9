//! The description of a known store: the tables by which it is recognised, and the queries on them.

use crate::source::bytes::hints::RowAccess;

/// A kind of store. In its queries, `{name}` is the table with that alias, and `{name.column}` an optional column,
/// NULL if it is missing. Queries take both parameters, even where they need only one.
pub struct SqliteStore {
    /// The name of the product, as in "a session of the …".
    pub name: &'static str,
    /// The format that reads its cells.
    pub format: &'static str,
    /// The tables that it must have. Each table that matches the first one is a store by itself.
    pub tables: &'static [SqliteTable],
    /// Query for the histories, in order: name of the session, and of its part or NULL.
    pub histories: &'static str,
    /// The name of this kind of part in messages, and the default part, which is not printed.
    pub part: (&'static str, &'static str),
    /// Query for the cells of a history (?1: session, ?2: part) in order: the row's id and its text. With more
    /// columns a record is an object of them, in which the text is `data`; the column `row` is what the row is
    /// called in messages.
    pub cells: &'static str,
    /// True for an encrypted cell.
    pub is_encrypted: fn(&[u8]) -> bool,
    /// The statements of a repair; `None` if the store is read-only.
    pub writes: Option<RepairStatements>,
}

impl SqliteStore {
    /// The edits that its rows allow.
    pub fn rows(&self) -> RowAccess {
        match &self.writes {
            None => RowAccess::ReadOnly,
            Some(writes) if writes.delete.is_empty() => RowAccess::Editable,
            Some(_) => RowAccess::Removable,
        }
    }
}

/// A table of a store.
pub struct SqliteTable {
    pub alias: &'static str,
    /// Its name; `None` if users choose it.
    pub name: Option<&'static str>,
    /// Columns that it must have.
    pub columns: &'static [&'static str],
    /// Columns that queries use and some versions lack.
    pub optional: &'static [&'static str],
}

/// The statements of a repair.
pub struct RepairStatements {
    /// Values of `user_version` for which the statements are known to be right.
    pub versions: &'static [i64],
    /// The newest migration for which they are known to be right, by the time that its name begins with; `None` if
    /// the store has no list of migrations.
    pub migrated: Option<&'static str>,
    /// Remove a row (?1: id, ?2: its text as it was read). The last one must remove exactly one row. Empty: rows
    /// cannot be removed.
    pub delete: &'static [&'static str],
    /// Sets the text of a row (?1: id, ?2: its text as it was read, ?3: the new one).
    pub update: &'static str,
    /// Marks a session as changed (?1: its name).
    pub touch: Option<&'static str>,
    /// Names of the store's triggers. They are not run; their relevant effects are part of the statements.
    pub triggers: &'static [&'static str],
}
