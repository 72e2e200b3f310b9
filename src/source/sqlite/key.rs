//! Keys of histories in databases, and of their rows.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::display_name;
use super::store::SqliteStore;
use super::stores::STORES;

/// The magic bytes of a database.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// True if a file begins with the magic bytes of a database.
pub fn is_database(path: &Path) -> bool {
    // Reading from a pipe would consume it.
    if !std::fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let mut head = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *MAGIC
}

/// The same for a file that is named like a text, of which there may be many: it is opened only if a database can have its
/// size.
pub fn is_misnamed_database(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.len() % SMALLEST_PAGE == 0) && is_database(path)
}

/// The size of a database is a multiple of that of its pages, a power of two from here on.
/// https://www.sqlite.org/fileformat.html#pages
const SMALLEST_PAGE: u64 = 512;

/// The key of a history in a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HistoryKey {
    /// Index of the store in `STORES`.
    pub(super) store: usize,
    /// Actual names of the store's tables, in the order of [`SqliteStore::tables`].
    pub(super) tables: Vec<String>,
    /// Optional columns that they lack: table alias and column.
    pub(super) lacks: Vec<(&'static str, &'static str)>,
    pub session: String,
    pub part: Option<String>,
}

impl HistoryKey {
    /// True if both are histories of one session.
    pub fn is_same_session(&self, other: &HistoryKey) -> bool {
        (self.store, &self.tables, &self.session) == (other.store, &other.tables, &other.session)
    }

    #[expect(clippy::indexing_slicing, reason = "keys are made with the number of a store in its table")]
    pub fn store(&self) -> &'static SqliteStore {
        STORES[self.store]
    }

    /// The part of the session, unless it is the default one.
    fn named_part(&self) -> Option<&str> {
        self.part.as_deref().filter(|part| *part != self.store().part.1)
    }

    /// Fills the names of tables and columns into a query.
    #[cfg(feature = "sqlite")]
    pub(super) fn query(&self, text: &str) -> String {
        let tables = self.store().tables.iter().zip(&self.tables);
        tables.fold(text.to_owned(), |text, (table, name)| {
            let text = text.replace(&format!("{{{}}}", table.alias), &super::connect::quote_identifier(name));
            table.optional.iter().fold(text, |text, column| {
                let own = match self.lacks.contains(&(table.alias, column)) {
                    true => "NULL".to_owned(),
                    false => super::connect::quote_identifier(column),
                };
                text.replace(&format!("{{{}.{column}}}", table.alias), &own)
            })
        })
    }

    /// The path of output made from this history: beside the database, named after it and the history.
    pub fn output_path(&self, database: &Path) -> PathBuf {
        let file = database.file_name().unwrap_or_default().to_string_lossy();
        let mut name = format!("{file}.{}", self.session);
        if let Some(part) = self.named_part() {
            name = format!("{name}.{part}");
        }
        let plain = |c: char| if c.is_alphanumeric() || "-_.@+".contains(c) { c } else { '_' };
        database.with_file_name(name.chars().map(plain).collect::<String>() + ".json")
    }
}

impl fmt::Display for HistoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {}", display_name(&self.session))?;
        match self.named_part() {
            Some(part) => write!(f, ", {} {}", self.store().part.0, display_name(part)),
            None => Ok(()),
        }
    }
}

/// The id of a row.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RowId {
    Number(i64),
    Name(String),
}

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RowId::Number(number) => number.fmt(f),
            RowId::Name(name) => display_name(name).fmt(f),
        }
    }
}
