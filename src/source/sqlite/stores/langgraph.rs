//! Checkpoints of LangGraph (`SqliteSaver`): the state of a thread after each step. The newest one of a thread, and of each
//! subgraph in it, says what the thread goes on with.

use super::super::store::{Store, Table};

pub static CHECKPOINTS: Store = Store {
    name: "LangGraph",
    format: "langgraph-checkpoint",
    tables: &[
        Table {
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
        Table {
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
    is_sealed: |_| false,
    writes: None,
};
