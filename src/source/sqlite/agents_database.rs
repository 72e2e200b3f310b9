//! Writing a new database of sessions of the OpenAI Agents SDK, with a row for each item.

use std::io;
use std::path::Path;

/// A session, and its items as lines.
pub struct DatabaseSession<'s> {
    pub id: &'s str,
    pub lines: &'s [u8],
    /// Start time in the format of SQLite.
    pub began: String,
}

/// True if a file has the extension of a database.
pub fn is_database_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["db", "sqlite", "sqlite3"].iter().any(|own| ending == *own))
}

/// The bytes of a database of these sessions, with the tables of the SDK's `SQLiteSession`.
#[cfg(feature = "sqlite")]
pub fn build(sessions: &[DatabaseSession<'_>]) -> io::Result<Vec<u8>> {
    use rusqlite::{Connection, params};

    const TABLES: &str = "
        CREATE TABLE agent_sessions (
            session_id TEXT PRIMARY KEY,
            created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
            updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
        );
        CREATE TABLE agent_messages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL,
            message_data TEXT NOT NULL,
            created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
            FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id) ON DELETE CASCADE
        );
        CREATE INDEX idx_agent_messages_session_id ON agent_messages (session_id, id);";
    let folder = tempfile::Builder::new().prefix("replaylint-").tempdir()?;
    let path = folder.path().join("made.db");
    let fill = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(&path)?;
        connection.execute_batch(TABLES)?;
        let transaction = connection.transaction()?;
        for session in sessions {
            let DatabaseSession { id, lines, began } = session;
            transaction.execute("INSERT INTO agent_sessions VALUES (?1, ?2, ?2)", params![id, began])?;
            for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let item = String::from_utf8_lossy(line);
                transaction.execute(
                    "INSERT INTO agent_messages (session_id, message_data, created_at) VALUES (?1, ?2, ?3)",
                    params![id, item, began],
                )?;
            }
        }
        transaction.commit()
    };
    fill().map_err(super::connect::sql_error)?;
    std::fs::read(path)
}

/// Fails in builds without the feature `sqlite`.
#[cfg(not(feature = "sqlite"))]
pub fn build(_: &[DatabaseSession<'_>]) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this build of replaylint cannot write SQLite databases"))
}
