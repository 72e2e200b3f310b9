//! Threads of Zed (`threads.db`): one thread per row, as JSON or as compressed JSON.

use super::super::store::{SqliteStore, SqliteTable};

pub static THREADS: SqliteStore = SqliteStore {
    name: "Zed",
    format: "zed-thread",
    tables: &[SqliteTable {
        alias: "threads",
        name: Some("threads"),
        columns: &["id", "summary", "updated_at", "data_type", "data"],
        optional: &[],
    }],
    histories: "SELECT id, NULL FROM {threads} ORDER BY updated_at, id",
    part: ("part", ""),
    cells: "SELECT rowid, data FROM {threads} WHERE id = ?1 AND ?2 IS NULL",
    is_encrypted: |_| false,
    writes: None,
};
