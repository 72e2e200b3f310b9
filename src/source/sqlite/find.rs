//! The tables of a database: ordinary ones only, for what a view or a virtual table gives is computed by the schema.

use rusqlite::Connection;

use super::connect::quoted;

/// An ordinary table.
pub(super) struct Found {
    pub name: String,
    /// Columns that are stored.
    pub columns: Vec<String>,
    /// Tables that it refers to.
    pub refers: Vec<String>,
}

/// The ordinary tables, by name.
pub(super) fn tables(connection: &Connection) -> rusqlite::Result<Vec<Found>> {
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
            let mut query = connection.prepare(&format!("PRAGMA table_xinfo({})", quoted(&name)))?;
            let columns = query.query_map([], |row| Ok((row.get(1)?, row.get("hidden")?)))?;
            let columns: Vec<(String, i64)> = columns.collect::<rusqlite::Result<_>>()?;
            let mut query = connection.prepare(&format!("PRAGMA foreign_key_list({})", quoted(&name)))?;
            let refers = query.query_map([], |row| row.get("table"))?.collect::<rusqlite::Result<_>>()?;
            let columns = columns.into_iter().filter(stored).map(|(name, _)| name).collect();
            Ok(Found { name, columns, refers })
        })
        .collect()
}
