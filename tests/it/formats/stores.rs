//! Databases of agents that are only read: each of their sessions is a history, whatever form its rows have.

use std::fs;

use crate::report::reports::run;
use crate::support::databases::Database;

/// Output of `check -v` for a database.
fn checked(database: &Database) -> String {
    let output = run(database.folder.path(), &["check", "-v", "agents.db"]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stderr), text(&output.stdout))
}

/// Output of `convert --to chat` for a database.
fn converted(database: &Database) -> String {
    let output = run(database.folder.path(), &["convert", "--to", "chat", "agents.db"]);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub const HERMES: &str = r#"
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, system_prompt TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
        role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
        finish_reason TEXT ACTIVE);
    INSERT INTO sessions VALUES ('s1', 'cli', 'gpt-5', 'You are Hermes.'), ('s2', 'cli', NULL, NULL);
    INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, timestamp) VALUES
        ('s1', 'user', 'where', NULL, NULL, 1),
        ('s1', 'assistant', '', NULL, '[{"id":"call_1","type":"function","function":{"name":"sh","arguments":"{}"}}]', 2),
        ('s1', 'tool', '/w', 'call_1', NULL, 3),
        ('s2', 'user', 'hi', NULL, 'not JSON', 4),
        ('s1', 'user', 'taken back', NULL, NULL, 5);"#;

#[test]
fn rows_of_hermes_are_messages() {
    let database = Database::new(&HERMES.replace(" ACTIVE", ""));
    let output = checked(&database);
    assert!(output.contains("session s1: hermes-session, 6 items"), "{output}");
    assert!(output.contains("session s2: hermes-session, 1 item"), "{output}");
    assert!(output.contains("No problems found in 2 conversations"), "{output}");
}

#[test]
fn rows_of_hermes_that_are_not_active_are_not_sent() {
    let sql = HERMES.replace(" ACTIVE", ", active INTEGER NOT NULL DEFAULT 1");
    let changes = "UPDATE messages SET active = 0 WHERE content = 'taken back'; DELETE FROM messages WHERE session_id = 's2';";
    let database = Database::new(&format!("{sql} {changes}"));
    let output = checked(&database);
    assert!(output.contains("session s1: hermes-session, 5 items"), "{output}");
    let written = converted(&database);
    assert!(written.contains(r#"{"role":"system","content":"You are Hermes."}"#), "{written}");
    assert!(written.contains(r#"{"role":"tool","tool_call_id":"call_1","content":"/w"}"#), "{written}");
    assert!(!written.contains("taken back"), "{written}");
}

/// Threads of Zed: one as it is, one packed, one packed and cut off.
pub fn zed() -> Database {
    let database = Database::new(
        "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
            data_type TEXT NOT NULL, data BLOB NOT NULL);",
    );
    let thread =
        br#"{"title":"t","messages":[{"User":{"id":"u","content":[{"Text":"hi"}]}},"Resume"],"version":"0.3.0"}"#;
    let packed = zstd::encode_all(&thread[..], 3).expect("packed");
    database.run(|connection| {
        let cut = packed[..packed.len() / 2].to_vec();
        for (id, kind, data) in [("a", "json", thread.to_vec()), ("b", "zstd", packed.clone()), ("c", "zstd", cut)]
        {
            let sql = "INSERT INTO threads VALUES (?1, 's', ?1, ?2, ?3)";
            connection.execute(sql, (id, kind, data)).expect("inserted");
        }
    });
    database
}

#[test]
fn threads_of_zed_are_unpacked() {
    let output = checked(&zed());
    for session in ["a", "b"] {
        assert!(output.contains(&format!("session {session}: zed-thread, 2 items")), "{output}");
    }
    assert!(output.contains("session c, row 3"), "{output}");
    assert!(output.contains("RL001"), "{output}");
}

pub const CURSOR: &str = r#"
        CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
        INSERT INTO cursorDiskKV VALUES
            ('bubbleId:c1:b2', '{"type":2,"text":"","toolFormerData":{"name":"run","toolCallId":"t1","rawArgs":"{\"c\":1}","result":"ok"}}'),
            ('bubbleId:c1:b1', '{"type":1,"text":"hi"}'),
            ('bubbleId:c1:b3', '{"type":2,"text":"done"}'),
            ('composerData:c1', '{"fullConversationHeadersOnly":[{"bubbleId":"b1"},{"bubbleId":"b2"},{"bubbleId":"b3"}]}'),
            ('composerData:c2', '{}'), ('composerData:c3', NULL), ('composerData:c4', 'not JSON');"#;

#[test]
fn bubbles_of_cursor_are_in_the_order_of_their_conversation() {
    let database = Database::new(CURSOR);
    let written = converted(&database);
    let messages = [
        r#"{"role":"user","content":"hi"}"#,
        r#""arguments":"{\"c\":1}""#,
        r#"{"role":"tool","tool_call_id":"t1","content":"ok"}"#,
        r#"{"role":"assistant","content":"done"}"#,
    ];
    let places: Vec<Option<usize>> = messages.iter().map(|message| written.find(message)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {written}");
}

pub const CURSOR_AGENT: &str = r#"
        CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
        INSERT INTO blobs VALUES ('z', CAST('{"role":"user","content":"hi"}' AS BLOB)), ('y', X'0A20616263'),
            ('x', CAST('{"role":"assistant","content":[{"type":"text","text":"hello"}]}' AS BLOB));"#;

#[test]
fn blobs_of_cursors_agent_that_are_messages_are_read() {
    let database = Database::new(CURSOR_AGENT);
    let written = converted(&database);
    let messages = r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]"#;
    assert!(written.contains(messages), "{written}");
}

#[test]
fn a_store_without_conversations_is_named() {
    let database = Database::new(
        "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);",
    );
    let before = fs::read(&database.path).expect("readable");
    let output = checked(&database);
    assert!(output.contains("RL004"), "{output}");
    assert_eq!(fs::read(&database.path).expect("readable"), before);
}
