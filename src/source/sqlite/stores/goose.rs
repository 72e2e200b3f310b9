//! The database of goose: one message per row. Messages that goose does not send to the model are marked in the
//! metadata.

use super::super::store::{RepairStatements, SqliteStore, SqliteTable};

const SESSIONS: SqliteTable = SqliteTable {
    alias: "session",
    name: Some("sessions"),
    columns: &["id", "working_dir"],
    optional: &["provider_name", "model_config_json"],
};

const MESSAGES: SqliteTable = SqliteTable {
    alias: "message",
    name: Some("messages"),
    columns: &["id", "session_id", "role", "content_json"],
    optional: &["metadata_json", "created_timestamp"],
};

pub static GOOSE: SqliteStore = SqliteStore {
    name: "goose",
    format: "goose-session",
    tables: &[MESSAGES, SESSIONS],
    histories: "SELECT session_id, NULL FROM {message} GROUP BY session_id ORDER BY min(id)",
    part: ("part", ""),
    cells: "SELECT id, data, \"row\", role, provider, model, hidden FROM (\
                SELECT id, NULL AS data, 'session' AS \"row\", NULL AS role, {session.provider_name} AS provider, \
                    CASE WHEN json_valid({session.model_config_json}) \
                        THEN json_extract({session.model_config_json}, '$.model_name') END AS model, \
                    NULL AS hidden, NULL AS time, NULL AS place FROM {session} WHERE id = ?1 AND ?2 IS ?2 \
                UNION ALL \
                SELECT id, content_json, 'message', role, NULL, NULL, \
                    CASE WHEN json_valid({message.metadata_json}) \
                        AND json_extract({message.metadata_json}, '$.agentVisible') = 0 THEN 1 END, \
                    {message.created_timestamp}, id FROM {message} WHERE session_id = ?1\
            ) ORDER BY time, place",
    is_encrypted: |_| false,
    writes: Some(RepairStatements {
        versions: &[0],
        migrated: None,
        delete: &["DELETE FROM {message} WHERE id = ?1 AND CAST(content_json AS BLOB) = CAST(?2 AS BLOB)"],
        update: "UPDATE {message} SET content_json = ?3 \
                 WHERE id = ?1 AND CAST(content_json AS BLOB) = CAST(?2 AS BLOB)",
        touch: None,
        triggers: &[],
    }),
};
