//! Sessions of Cursor: the editor stores bubbles in a key-value table (`state.vscdb`), its agent stores blobs by
//! their hashes (`store.db`), some of which are messages as JSON.

use super::super::store::{SqliteStore, SqliteTable};

/// The order of the bubbles is in the record of their conversation.
pub static EDITOR: SqliteStore = BUBBLES;

const BUBBLES: SqliteStore = SqliteStore {
    name: "Cursor",
    format: "cursor-session",
    tables: &[SqliteTable { alias: "kv", name: Some("cursorDiskKV"), columns: &["key", "value"], optional: &[] }],
    histories: "SELECT substr(key, 14), NULL FROM {kv} WHERE key GLOB 'composerData:*' AND json_valid(value) AND \
                json_array_length(value, '$.fullConversationHeadersOnly') > 0 ORDER BY rowid",
    part: ("part", ""),
    cells: "SELECT b.rowid, b.value FROM {kv} c, json_each(c.value, '$.fullConversationHeadersOnly') h \
            JOIN {kv} b ON b.key = 'bubbleId:' || ?1 || ':' || json_extract(h.value, '$.bubbleId') \
            WHERE c.key = 'composerData:' || ?1 AND ?2 IS NULL ORDER BY h.key",
    is_encrypted: |_| false,
    writes: None,
};

/// Blobs are append-only, so the order of rows is that of messages.
pub static AGENT: SqliteStore = SqliteStore {
    tables: &[
        SqliteTable { alias: "blobs", name: Some("blobs"), columns: &["id", "data"], optional: &[] },
        SqliteTable { alias: "meta", name: Some("meta"), columns: &["key", "value"], optional: &[] },
    ],
    histories: "SELECT 'agent', NULL FROM {blobs} WHERE substr(data, 1, 1) = X'7B' LIMIT 1",
    cells: "SELECT rowid, data FROM {blobs} WHERE ?1 = 'agent' AND ?2 IS NULL AND \
            substr(data, 1, 1) = X'7B' ORDER BY rowid",
    ..BUBBLES
};
