//! Threads of Zed (`threads.db`): a row a thread, as JSON or as packed JSON.

use super::super::store::{Store, Table};

pub static THREADS: Store = Store {
    name: "Zed",
    format: "zed-thread",
    tables: &[Table {
        alias: "threads",
        name: Some("threads"),
        columns: &["id", "summary", "updated_at", "data_type", "data"],
        optional: &[],
    }],
    histories: "SELECT id, NULL FROM {threads} ORDER BY updated_at, id",
    part: ("part", ""),
    cells: "SELECT rowid, data FROM {threads} WHERE id = ?1 AND ?2 IS NULL",
    is_sealed: |_| false,
    writes: None,
};
