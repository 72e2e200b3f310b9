//! The database of Crush: one message per row, with its parts as a list. Its triggers set times, and count the
//! messages of a session (`internal/db/migrations`).

use super::super::store::{RepairStatements, SqliteStore, SqliteTable};

const SESSIONS: SqliteTable = SqliteTable {
    alias: "session",
    name: Some("sessions"),
    columns: &["id", "title", "message_count"],
    optional: &["summary_message_id"],
};

const MESSAGES: SqliteTable = SqliteTable {
    alias: "message",
    name: Some("messages"),
    columns: &["id", "session_id", "role", "parts", "created_at", "updated_at"],
    optional: &["model", "provider"],
};

pub static CRUSH: SqliteStore = SqliteStore {
    name: "Crush",
    format: "crush",
    tables: &[MESSAGES, SESSIONS],
    histories: "SELECT session_id, NULL FROM {message} GROUP BY session_id ORDER BY min(created_at), min(rowid)",
    part: ("part", ""),
    cells: "SELECT id, data, \"row\", role, model, provider, summary FROM (\
                SELECT id, NULL AS data, 'session' AS \"row\", NULL AS role, NULL AS model, NULL AS provider, \
                    {session.summary_message_id} AS summary, NULL AS time, NULL AS place \
                FROM {session} WHERE id = ?1 AND ?2 IS ?2 \
                UNION ALL \
                SELECT id, parts, 'message', role, {message.model}, {message.provider}, NULL, created_at, rowid \
                FROM {message} WHERE session_id = ?1\
            ) ORDER BY time, place",
    is_encrypted: |_| false,
    writes: Some(RepairStatements {
        versions: &[0],
        migrated: None,
        delete: &[
            "UPDATE {session} SET message_count = message_count - 1 \
             WHERE id = (SELECT session_id FROM {message} WHERE id = ?1)",
            "DELETE FROM {message} WHERE id = ?1 AND CAST(parts AS BLOB) = CAST(?2 AS BLOB)",
        ],
        update: "UPDATE {message} SET parts = ?3, updated_at = strftime('%s', 'now') \
                 WHERE id = ?1 AND CAST(parts AS BLOB) = CAST(?2 AS BLOB)",
        touch: None,
        triggers: &[
            "update_sessions_updated_at",
            "update_messages_updated_at",
            "update_files_updated_at",
            "update_session_message_count_on_insert",
            "update_session_message_count_on_delete",
        ],
    }),
};
