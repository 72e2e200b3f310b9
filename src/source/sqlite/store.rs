//! What a known store is: the tables by which it is recognised, and the queries on them.

use crate::source::bytes::hints::Rows;

/// A kind of store. In its queries, `{name}` is the table with that alias, and `{name.column}` a column that it may lack:
/// NULL then. Queries take both parameters, even where they need one.
pub struct Store {
    /// Whose it is, as in "a session of the …".
    pub name: &'static str,
    /// The format that reads its cells.
    pub format: &'static str,
    /// The tables that it must have. Each table that fits the first one is a store by itself.
    pub tables: &'static [Table],
    /// Gives the histories, in order: the name of the session, and of the part of it that the history is, or NULL.
    pub histories: &'static str,
    /// What such a part is called, and the name of the one that need not be mentioned.
    pub part: (&'static str, &'static str),
    /// Gives the cells of a history (?1: session, ?2: part) in order: the row's id and its text. With more columns a
    /// record is an object of them, in which the text is `data`; one of them, `row`, says what the row is called.
    pub cells: &'static str,
    /// Whether a cell is encrypted.
    pub is_sealed: fn(&[u8]) -> bool,
    /// How it is repaired; `None` if it is only read.
    pub writes: Option<Writes>,
}

impl Store {
    /// What a repair can do to its rows.
    pub fn rows(&self) -> Rows {
        match &self.writes {
            None => Rows::Read,
            Some(writes) if writes.delete.is_empty() => Rows::Changed,
            Some(_) => Rows::Removed,
        }
    }
}

/// A table of a store.
pub struct Table {
    pub alias: &'static str,
    /// Its name, where that is not for the user to choose.
    pub name: Option<&'static str>,
    /// Columns that it must have.
    pub columns: &'static [&'static str],
    /// Columns that queries ask for, and that other versions lack.
    pub optional: &'static [&'static str],
}

/// The statements of a repair.
pub struct Writes {
    /// Values of `user_version` for which they are known to be right.
    pub versions: &'static [i64],
    /// The newest migration for which they are known to be right, where the store keeps a list of them: the time that its
    /// name begins with.
    pub migrated: Option<&'static str>,
    /// Remove a row (?1: id, ?2: its text as it was read). The last one must remove exactly one row. None: rows stay.
    pub delete: &'static [&'static str],
    /// Gives a row another text (?1: id, ?2: its text as it was read, ?3: the new one).
    pub update: &'static str,
    /// Says that a session was changed (?1: its name).
    pub touch: Option<&'static str>,
    /// Triggers that the store has, by their names. They are not run: what matters of them is in the statements.
    pub triggers: &'static [&'static str],
}
