//! Checkpoints of LangGraph (`SqliteSaver`): the state of a thread after each step. The newest one of a thread,
//! and of each subgraph in it, is what the thread continues from.

use super::super::store::{SqliteStore, SqliteTable};

pub static CHECKPOINTS: SqliteStore = SqliteStore {
    name: "LangGraph",
    format: "langgraph-checkpoint",
    tables: &[
        SqliteTable {
            alias: "checkpoints",
            name: Some("checkpoints"),
            columns: &[
                "thread_id",
                "checkpoint_ns",
                "checkpoint_id",
                "parent_checkpoint_id",
                "type",
                "checkpoint",
            ],
            optional: &[],
        },
        SqliteTable {
            alias: "writes",
            name: Some("writes"),
            columns: &["thread_id", "checkpoint_id", "channel"],
            optional: &[],
        },
    ],
    histories: "SELECT thread_id, checkpoint_ns FROM {checkpoints} GROUP BY thread_id, checkpoint_ns \
                ORDER BY thread_id, checkpoint_ns",
    part: ("subgraph", ""),
    cells: "SELECT checkpoint_id, checkpoint FROM {checkpoints} WHERE thread_id = ?1 AND checkpoint_ns = ?2 \
            ORDER BY checkpoint_id DESC LIMIT 1",
    is_encrypted: |_| false,
    writes: None,
};
