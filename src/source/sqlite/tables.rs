//! The tables of a database: only ordinary ones, as the rows of views and virtual tables are computed by the
//! schema.

use rusqlite::Connection;

use super::connect::quote_identifier;

/// An ordinary table.
pub(super) struct DatabaseTable {
    pub name: String,
    /// Stored columns.
    pub columns: Vec<String>,
    /// Tables that its foreign keys refer to.
    pub references: Vec<String>,
}

/// The ordinary tables, by name.
pub(super) fn ordinary_tables(connection: &Connection) -> rusqlite::Result<Vec<DatabaseTable>> {
    // A virtual table has no page of its own.
    let mut query = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' \
         ESCAPE '\\' ORDER BY name",
    )?;
    let names: Vec<String> = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    names
        .into_iter()
        .map(|name| {
            // A generated column is computed by the schema.
            let stored = |(_, hidden): &(String, i64)| *hidden == 0;
            let mut query = connection.prepare(&format!("PRAGMA table_xinfo({})", quote_identifier(&name)))?;
            let columns = query.query_map([], |row| Ok((row.get(1)?, row.get("hidden")?)))?;
            let columns: Vec<(String, i64)> = columns.collect::<rusqlite::Result<_>>()?;
            let mut query =
                connection.prepare(&format!("PRAGMA foreign_key_list({})", quote_identifier(&name)))?;
            let references = query.query_map([], |row| row.get("table"))?.collect::<rusqlite::Result<_>>()?;
            let columns = columns.into_iter().filter(stored).map(|(name, _)| name).collect();
            Ok(DatabaseTable { name, columns, references })
        })
        .collect()
}
