//! Names: which history of which store, and which of its rows.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::super::display_name;
use super::store::Store;
use super::stores::STORES;

/// The beginning of each database.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Whether a file begins like a database.
pub fn is_database(path: &Path) -> bool {
    // What is read from a pipe is gone.
    if !std::fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let mut head = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *MAGIC
}

/// A history of a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// Number of the store in their table.
    pub(super) store: usize,
    /// Names of the store's tables, in the order of its own.
    pub(super) tables: Vec<String>,
    /// Columns that they lack, by the table's alias.
    pub(super) lacks: Vec<(&'static str, &'static str)>,
    pub session: String,
    pub part: Option<String>,
}

impl Key {
    /// Whether both are histories of one session.
    pub fn is_same_session(&self, other: &Key) -> bool {
        (self.store, &self.tables, &self.session) == (other.store, &other.tables, &other.session)
    }

    #[expect(clippy::indexing_slicing, reason = "keys are made with the number of a store in its table")]
    pub fn store(&self) -> &'static Store {
        STORES[self.store]
    }

    /// The part of the session, unless it is the one that is not mentioned.
    fn named_part(&self) -> Option<&str> {
        self.part.as_deref().filter(|part| *part != self.store().part.1)
    }

    /// A query on the tables of this store.
    #[cfg(feature = "sqlite")]
    pub(super) fn query(&self, text: &str) -> String {
        let tables = self.store().tables.iter().zip(&self.tables);
        tables.fold(text.to_owned(), |text, (table, name)| {
            let text = text.replace(&format!("{{{}}}", table.alias), &super::connect::quoted(name));
            table.optional.iter().fold(text, |text, column| {
                let own = match self.lacks.contains(&(table.alias, column)) {
                    true => "NULL".to_owned(),
                    false => super::connect::quoted(column),
                };
                text.replace(&format!("{{{}.{column}}}", table.alias), &own)
            })
        })
    }

    /// The file that something is written to which is made of this history: beside the database, by its name and what
    /// tells the history from others.
    pub fn product(&self, database: &Path) -> PathBuf {
        let file = database.file_name().unwrap_or_default().to_string_lossy();
        let mut name = format!("{file}.{}", self.session);
        if let Some(part) = self.named_part() {
            name = format!("{name}.{part}");
        }
        let plain = |c: char| if c.is_alphanumeric() || "-_.@+".contains(c) { c } else { '_' };
        database.with_file_name(name.chars().map(plain).collect::<String>() + ".json")
    }
}

impl fmt::Display for Key {
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
pub enum Id {
    Number(i64),
    Name(String),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => number.fmt(f),
            Id::Name(name) => display_name(name).fmt(f),
        }
    }
}
