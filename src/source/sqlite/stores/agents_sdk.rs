//! Sessions of the OpenAI Agents SDK for Python (0.22): `SQLiteSession`, with one row per item, and
//! `AdvancedSQLiteSession`, which also stores the order of the rows in each branch. Users choose the names of both
//! tables.

use crate::json::{Tape, scan};

use super::super::store::{RepairStatements, SqliteStore, SqliteTable};

const MESSAGES: SqliteTable =
    SqliteTable { alias: "messages", name: None, columns: &["id", "session_id", "message_data"], optional: &[] };

const SESSIONS: SqliteTable = SqliteTable {
    alias: "sessions",
    name: None,
    columns: &["session_id", "created_at", "updated_at"],
    optional: &[],
};

const STRUCTURE: SqliteTable = SqliteTable {
    alias: "structure",
    name: Some("message_structure"),
    columns: &["id", "session_id", "message_id", "branch_id", "sequence_number"],
    optional: &[],
};

const TOUCH: &str = "UPDATE {sessions} SET updated_at = CURRENT_TIMESTAMP WHERE session_id = ?1";
const UPDATE: &str =
    "UPDATE {messages} SET message_data = ?3 WHERE id = ?1 AND CAST(message_data AS BLOB) = CAST(?2 AS BLOB)";
const DELETE: &str = "DELETE FROM {messages} WHERE id = ?1 AND CAST(message_data AS BLOB) = CAST(?2 AS BLOB)";

pub static PLAIN: SqliteStore = SqliteStore {
    name: "OpenAI Agents SDK",
    format: "agents-session",
    tables: &[MESSAGES, SESSIONS],
    histories: "SELECT session_id, NULL FROM {messages} GROUP BY session_id ORDER BY min(id)",
    part: ("part", ""),
    cells: "SELECT id, message_data FROM {messages} WHERE session_id = ?1 AND ?2 IS NULL ORDER BY id",
    is_encrypted,
    writes: Some(RepairStatements {
        versions: &[0],
        migrated: None,
        delete: &[DELETE],
        update: UPDATE,
        touch: Some(TOUCH),
        triggers: &[],
    }),
};

/// Sessions without rows in the structure table are plain sessions in the same tables.
pub static ADVANCED: SqliteStore = SqliteStore {
    tables: &[MESSAGES, SESSIONS, STRUCTURE],
    histories: "SELECT session_id, branch_id FROM (\
                    SELECT session_id, branch_id, min(message_id) AS first, min(id) AS place FROM {structure} \
                    GROUP BY session_id, branch_id \
                    UNION ALL \
                    SELECT session_id, NULL, min(id), 0 FROM {messages} \
                    WHERE session_id NOT IN (SELECT session_id FROM {structure}) GROUP BY session_id\
                ) ORDER BY first, branch_id IS NOT 'main', place",
    part: ("branch", "main"),
    cells: "SELECT id, data FROM (\
                SELECT m.id AS id, m.message_data AS data, s.sequence_number AS place, s.id AS later \
                FROM {structure} s JOIN {messages} m ON m.id = s.message_id \
                WHERE s.session_id = ?1 AND s.branch_id = ?2 \
                UNION ALL \
                SELECT id, message_data, id, id FROM {messages} WHERE ?2 IS NULL AND session_id = ?1\
            ) ORDER BY place, later",
    writes: Some(RepairStatements {
        versions: &[0],
        migrated: None,
        delete: &["DELETE FROM {structure} WHERE message_id = ?1", DELETE],
        update: UPDATE,
        touch: Some(TOUCH),
        triggers: &[],
    }),
    ..PLAIN
};

/// `EncryptedSession` wraps each item: `{"__enc__": 1, "v": 1, "kid": …, "payload": …}`.
fn is_encrypted(cell: &[u8]) -> bool {
    let mut tape = Tape::new();
    cell.len() < 1 << 20
        && memchr::memmem::find(cell, b"\"__enc__\"").is_some()
        && scan(cell, &mut tape).is_ok()
        && tape.root(cell).is_some_and(|val| val.get("__enc__").is_some() && val.get("payload").is_some())
}
