//! Databases for the tests: those of the OpenAI Agents SDK, as its sessions create them.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::source::writing::backdate;

pub const SDK_TABLES: &str = "
    CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
        message_data TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id) ON DELETE CASCADE);
    CREATE INDEX idx_agent_messages_session_id ON agent_messages (session_id, id);";

const BRANCH_TABLES: &str = "
    CREATE TABLE message_structure (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
        message_id INTEGER NOT NULL, branch_id TEXT NOT NULL DEFAULT 'main', message_type TEXT NOT NULL,
        sequence_number INTEGER NOT NULL, user_turn_number INTEGER, branch_turn_number INTEGER, tool_name TEXT,
        created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        FOREIGN KEY (session_id) REFERENCES agent_sessions(session_id) ON DELETE CASCADE,
        FOREIGN KEY (message_id) REFERENCES agent_messages(id) ON DELETE CASCADE);";

pub const USER: &str = r#"{"role": "user", "content": "hi"}"#;
pub const CALL: &str = r#"{"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}"#;
pub const OUTPUT: &str = r#"{"type": "function_call_output", "call_id": "call_1", "output": "ok"}"#;

/// A database in a folder of its own.
pub struct Database {
    pub folder: tempfile::TempDir,
    pub path: PathBuf,
}

/// Opens a database to write to it.
pub fn open(path: &Path) -> Connection {
    Connection::open(path).expect("a database")
}

impl Database {
    pub fn new(sql: &str) -> Database {
        Database::with_name("agents.db", sql)
    }

    pub fn with_name(name: &str, sql: &str) -> Database {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        open(&path).execute_batch(sql).expect("SQL");
        backdate(&path);
        Database { folder, path }
    }

    /// Sessions with their items, in tables of these names.
    pub fn with_tables(sessions: &[(&str, &[&str])], names: [&str; 2]) -> Database {
        let sql = SDK_TABLES.replace("agent_sessions", names[0]).replace("agent_messages", names[1]);
        let database = Database::new(&sql);
        database.run(|connection| {
            for (session, items) in sessions {
                let sql = format!("INSERT INTO {} VALUES (?1, '2020-01-01', '2020-01-01')", names[0]);
                connection.execute(&sql, [session]).expect("inserted");
                for item in *items {
                    let sql = format!("INSERT INTO {} (session_id, message_data) VALUES (?1, ?2)", names[1]);
                    connection.execute(&sql, [session, item]).expect("inserted");
                }
            }
        });
        database
    }

    pub fn of(sessions: &[(&str, &[&str])]) -> Database {
        Database::with_tables(sessions, ["agent_sessions", "agent_messages"])
    }

    /// A session with branches: the rows of each, by their ids.
    pub fn with_branches(items: &[&str], branches: &[(&str, &[i64])]) -> Database {
        let database = Database::of(&[("s", items)]);
        database.run(|connection| {
            connection.execute_batch(BRANCH_TABLES).expect("SQL");
            for (branch, rows) in branches {
                for (place, row) in rows.iter().enumerate() {
                    let sql = "INSERT INTO message_structure (session_id, message_id, branch_id, message_type, \
                               sequence_number) VALUES ('s', ?1, ?2, 'x', ?3)";
                    connection.execute(sql, (row, branch, place as i64 + 1)).expect("inserted");
                }
            }
        });
        database
    }

    /// Changes the database, and sets its time to a minute ago.
    pub fn run(&self, change: impl FnOnce(&Connection)) {
        let connection = open(&self.path);
        change(&connection);
        connection.close().expect("closed");
        backdate(&self.path);
    }

    /// The rows of items: id and text.
    pub fn rows(&self) -> Vec<(i64, String)> {
        rows(&self.path)
    }

    pub fn count(&self, sql: &str) -> i64 {
        open(&self.path).query_row(sql, [], |row| row.get(0)).expect("a number")
    }
}

pub fn rows(path: &Path) -> Vec<(i64, String)> {
    let connection = open(path);
    let mut query = connection.prepare("SELECT id, message_data FROM agent_messages ORDER BY id").expect("SQL");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}
