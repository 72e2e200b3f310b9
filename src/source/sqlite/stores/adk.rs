//! Sessions of the Google ADK in a database: one event per row. They are read-only, because the update times of
//! sessions serve as locks.

use super::super::store::{SqliteStore, SqliteTable};

const EVENTS: SqliteTable = SqliteTable {
    alias: "event",
    name: Some("events"),
    columns: &["id", "app_name", "user_id", "session_id", "timestamp", "event_data"],
    optional: &[],
};

const SESSIONS: SqliteTable = SqliteTable {
    alias: "session",
    name: Some("sessions"),
    columns: &["app_name", "user_id", "id", "state"],
    optional: &[],
};

/// Sessions of several apps and users may have one id.
pub static ADK: SqliteStore = SqliteStore {
    name: "Google ADK",
    format: "google-adk",
    tables: &[EVENTS, SESSIONS],
    histories: "SELECT session_id, app_name || '/' || user_id FROM {event} GROUP BY app_name, user_id, session_id \
                ORDER BY min(timestamp), min(rowid)",
    part: ("of", ""),
    cells: "SELECT id, event_data, 'event' AS \"row\" FROM {event} \
            WHERE session_id = ?1 AND app_name || '/' || user_id = ?2 ORDER BY timestamp, rowid",
    is_encrypted: |_| false,
    writes: None,
};
