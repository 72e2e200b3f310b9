//! Sessions of Hermes (`~/.hermes/state.db`): one message per row, with its calls as JSON. A row is read as a
//! message of Chat Completions.

use super::super::store::{SqliteStore, SqliteTable};

const MESSAGES: SqliteTable = SqliteTable {
    alias: "messages",
    name: Some("messages"),
    columns: &["id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "finish_reason"],
    optional: &[],
};

const SESSIONS: SqliteTable = SqliteTable {
    alias: "sessions",
    name: Some("sessions"),
    columns: &["id", "source", "model", "system_prompt"],
    optional: &[],
};

/// The instructions, then the messages.
macro_rules! cells {
    ($of_messages:literal) => {
        concat!(
            "SELECT id, text FROM (",
            "SELECT 0 AS id, json_object('role', 'system', 'content', system_prompt, 'model', model) AS text ",
            "FROM {sessions} WHERE id = ?1 AND ?2 IS NULL AND system_prompt <> '' ",
            "UNION ALL ",
            "SELECT id, json_object('role', role, 'content', content, 'tool_call_id', tool_call_id, 'tool_calls', ",
            "CASE WHEN json_valid(tool_calls) THEN json(tool_calls) END, 'model', ",
            "(SELECT model FROM {sessions} WHERE id = ?1)) FROM {messages} WHERE session_id = ?1",
            $of_messages,
            ") ORDER BY id"
        )
    };
}

pub static OLDER: SqliteStore = ROWS;

const ROWS: SqliteStore = SqliteStore {
    name: "Hermes",
    format: "hermes-session",
    tables: &[MESSAGES, SESSIONS],
    histories: "SELECT session_id, NULL FROM {messages} GROUP BY session_id ORDER BY min(id)",
    part: ("part", ""),
    cells: cells!(""),
    is_encrypted: |_| false,
    writes: None,
};

/// Messages that were reverted or summarised are marked as inactive.
pub static MARKED: SqliteStore = SqliteStore {
    tables: &[
        SqliteTable {
            columns: &["id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name", "active"],
            ..MESSAGES
        },
        SESSIONS,
    ],
    cells: cells!(" AND active = 1"),
    ..ROWS
};
