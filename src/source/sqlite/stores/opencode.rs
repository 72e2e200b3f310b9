//! The database of opencode. Version 1 has the tables `message` and `part`, version 2 `session_message`, in one
//! file; version 2 imports the sessions of version 1 once, and does not show later ones.

use super::super::store::{RepairStatements, SqliteStore, SqliteTable};

const SESSION: SqliteTable = SqliteTable {
    alias: "session",
    name: Some("session"),
    columns: &["id"],
    optional: &["version", "revert", "time_created"],
};

const MESSAGE: SqliteTable = SqliteTable {
    alias: "message",
    name: Some("message"),
    columns: &["id", "session_id", "time_created", "data"],
    optional: &[],
};

const PART: SqliteTable = SqliteTable {
    alias: "part",
    name: Some("part"),
    columns: &["id", "message_id", "session_id", "data"],
    optional: &[],
};

const LATER_SESSION: SqliteTable = SqliteTable {
    alias: "later",
    name: Some("session_v2"),
    columns: &["id"],
    optional: &["version", "revert", "time_created", "fork_session_id", "fork_boundary"],
};

const LATER_MESSAGE: SqliteTable = SqliteTable {
    alias: "message",
    name: Some("session_message"),
    columns: &["id", "session_id", "type", "seq", "data"],
    optional: &[],
};

/// The session, then each message followed by its parts. `$hidden` is non-null if version 2 lacks the session.
macro_rules! cells {
    ($hidden:literal) => {
        concat!(
            "SELECT id, data, \"row\", before, created, version, reverted, reverted_part, hidden FROM (\
                SELECT id, NULL AS data, 'session' AS \"row\", NULL AS before, NULL AS created, \
                    {session.version} AS version, \
                    CASE WHEN json_valid({session.revert}) THEN json_extract({session.revert}, '$.messageID') END \
                        AS reverted, \
                    CASE WHEN json_valid({session.revert}) THEN json_extract({session.revert}, '$.partID') END \
                        AS reverted_part, ",
            $hidden,
            " AS hidden, NULL AS time, NULL AS of, NULL AS part FROM {session} WHERE id = ?1 AND ?2 IS ?2 \
                UNION ALL \
                SELECT id, data, 'message', lag(id) OVER (ORDER BY time_created, id), time_created, NULL, NULL, NULL, \
                    NULL, time_created, id, NULL FROM {message} WHERE session_id = ?1 \
                UNION ALL \
                SELECT p.id, p.data, 'part', NULL, m.time_created, NULL, NULL, NULL, NULL, m.time_created, m.id, p.id \
                FROM {part} p JOIN {message} m ON m.id = p.message_id WHERE m.session_id = ?1\
            ) ORDER BY time, of, part"
        )
    };
}

/// Version 1 alone.
pub static FIRST: SqliteStore = ALONE;

const ALONE: SqliteStore = SqliteStore {
    name: "opencode",
    format: "opencode-session",
    tables: &[SESSION, MESSAGE, PART],
    histories: "SELECT id, NULL FROM {session} \
                WHERE EXISTS (SELECT 1 FROM {message} WHERE session_id = {session}.id) \
                ORDER BY {session.time_created}, id",
    part: ("as stored by", ""),
    cells: cells!("NULL"),
    is_encrypted: |_| false,
    writes: Some(RepairStatements {
        versions: &[0],
        migrated: Some("20260999"),
        delete: &[],
        update: "UPDATE {part} SET data = ?3 WHERE id = ?1 AND CAST(data AS BLOB) = CAST(?2 AS BLOB)",
        touch: None,
        triggers: &[],
    }),
};

/// Version 1 beside version 2.
pub static BOTH: SqliteStore = SqliteStore {
    tables: &[SESSION, MESSAGE, PART, LATER_SESSION],
    histories: "SELECT id, 'opencode 1' FROM {session} \
                WHERE EXISTS (SELECT 1 FROM {message} WHERE session_id = {session}.id) \
                ORDER BY {session.time_created}, id",
    cells: cells!("CASE WHEN NOT EXISTS (SELECT 1 FROM {later} WHERE id = ?1) THEN 1 END"),
    ..ALONE
};

/// Version 2. A fork has copies of the messages that it inherits; one without copies is read with the rows of its
/// base session, up to the fork point.
pub static SECOND: SqliteStore = SqliteStore {
    name: "opencode",
    format: "opencode-v2",
    tables: &[LATER_SESSION, LATER_MESSAGE],
    histories: "SELECT id, NULL FROM {later} \
                WHERE EXISTS (SELECT 1 FROM {message} WHERE session_id = {later}.id) \
                    OR {later.fork_session_id} IS NOT NULL \
                ORDER BY {later.time_created}, id",
    part: ("as stored by", ""),
    cells: "WITH RECURSIVE fork(id, base, kind, at) AS (\
                SELECT id, {later.fork_session_id}, \
                    CASE WHEN json_valid({later.fork_boundary}) THEN json_extract({later.fork_boundary}, '$.type') END, \
                    CASE WHEN json_valid({later.fork_boundary}) THEN json_extract({later.fork_boundary}, '$.messageID') END \
                FROM {later}\
            ), chain(id, upto, depth) AS (\
                SELECT ?1, NULL, 0 \
                UNION ALL \
                SELECT fork.base, last.seq + (fork.kind IS NOT 'before'), chain.depth + 1 FROM chain \
                JOIN fork ON fork.id = chain.id \
                JOIN {message} last ON last.session_id = fork.base AND last.id = fork.at \
                WHERE chain.depth < 64 AND NOT EXISTS (\
                    SELECT 1 FROM {message} first JOIN {message} copy ON copy.type = first.type AND copy.data = first.data \
                    WHERE copy.session_id = chain.id AND first.session_id = fork.base AND first.seq = \
                        (SELECT min(seq) FROM {message} WHERE session_id = fork.base))\
            ) \
            SELECT id, data, \"row\", type, version, reverted FROM (\
                SELECT id, NULL AS data, 'session' AS \"row\", NULL AS type, {later.version} AS version, \
                    CASE WHEN json_valid({later.revert}) THEN json_extract({later.revert}, '$.messageID') END AS reverted, \
                    99 AS depth, 0 AS seq FROM {later} WHERE id = ?1 AND ?2 IS ?2 \
                UNION ALL \
                SELECT m.id, m.data, 'message', m.type, NULL, NULL, chain.depth, m.seq FROM chain \
                JOIN {message} m ON m.session_id = chain.id AND (chain.upto IS NULL OR m.seq < chain.upto)\
            ) ORDER BY depth DESC, seq",
    is_encrypted: |_| false,
    writes: None,
};
