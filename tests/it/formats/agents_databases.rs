//! Databases of Crush, goose and the Google ADK: the histories that are read, the rules that apply, and that nothing is written.

use std::fs;

use rusqlite::Connection;
use serde_json::Value;

use crate::report::reports::run;
use crate::rules::corpus::corpus;
use crate::support::databases::{Database, open};

const CRUSH: &str = "
    CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER, is_applied INTEGER, tstamp TIMESTAMP);
    CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
        message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
        summary_message_id TEXT);
    CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
        parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        provider TEXT, FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE);
    CREATE TRIGGER update_messages_updated_at AFTER UPDATE ON messages BEGIN
        UPDATE messages SET updated_at = 1 WHERE id = new.id; END;";

pub const ASKS: &str = r#"[{"type":"text","data":{"text":"Hi"}}]"#;
pub const CALLS: &str = r#"[{"type":"reasoning","data":{"thinking":"Well","signature":"c2lnbmVk"}},{"type":"tool_call","data":{"id":"t1","name":"ls","input":"{\"path\":\".\"}","provider_executed":false,"finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1}}]"#;
const CALL: &str = r#"{"type":"tool_call","data":{"id":"t1","name":"ls","input":"{\"path\":\".\"}","provider_executed":false,"finished":true}}"#;
pub const GIVES: &str =
    r#"[{"type":"tool_result","data":{"tool_call_id":"t1","name":"ls","content":"a","is_error":false}}]"#;
const ENDS: &str =
    r#"[{"type":"text","data":{"text":"Done"}},{"type":"finish","data":{"reason":"end_turn","time":1}}]"#;
/// Parts of an answer that was cancelled at once.
const NOTHING: &str = r#"[{"type":"finish","data":{"reason":"canceled","time":1}}]"#;

/// A session of Crush; all messages are of one second.
pub fn crush(provider: &str, summary: Option<&str>, messages: &[(&str, &str)]) -> Database {
    let database = Database::with_name("crush.db", CRUSH);
    database.run(|connection| {
        let sql = "INSERT INTO sessions VALUES ('s1', NULL, 't', 0, 1, 1, ?1)";
        connection.execute(sql, [summary]).expect("inserted");
        for (n, (role, parts)) in messages.iter().enumerate() {
            // Ids are random.
            let id = format!("{}-{n}", 9 - n);
            let sql = "INSERT INTO messages VALUES (?1, 's1', ?2, ?3, 'claude-sonnet-4-5', 1, 1, ?4)";
            connection.execute(sql, (id, role, parts, provider)).expect("inserted");
        }
    });
    database
}

/// Runs `check`: exit code, and all output.
fn checked(database: &Database, args: &[&str]) -> (Option<i32>, String) {
    let name = database.path.file_name().expect("a name").to_string_lossy().into_owned();
    let args = [&["check", "-v", "--output-format", "concise", &*name], args].concat();
    let output = run(database.folder.path(), &args);
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn crush_is_read_in_the_order_of_its_rows() {
    let messages =
        [("user", ASKS), ("assistant", CALLS), ("tool", GIVES), ("assistant", NOTHING), ("assistant", ENDS)];
    let database = crush("anthropic", None, &messages);
    let (code, text) = checked(&database, &[]);
    // Messages and their blocks: 2 + 3 + 2 + 2.
    assert!(code == Some(0) && text.contains("crush.db: session s1: crush, 9 items"), "{text}");
    assert!(text.contains("Format: crush. Checked against: anthropic."), "{text}");
}

#[test]
fn crush_answers_a_call_but_pairs_by_ids_alone() {
    let unanswered = crush("anthropic", None, &[("user", ASKS), ("assistant", CALLS), ("user", ASKS)]);
    let (code, text) = checked(&unanswered, &[]);
    assert!(code == Some(0) && text.contains("Crush answers it with a placeholder"), "{text}");
    let orphan = crush("anthropic", None, &[("user", ASKS), ("tool", GIVES), ("user", ASKS)]);
    let (code, text) = checked(&orphan, &[]);
    assert!(code == Some(0) && text.contains("1 output without a call: Crush leaves it out"), "{text}");
    let late = [("user", ASKS), ("assistant", CALLS), ("user", ASKS), ("assistant", ENDS), ("tool", GIVES)];
    for provider in ["anthropic", "openrouter"] {
        let database = crush(provider, None, &late);
        let (code, text) = checked(&database, &[]);
        assert!(code == Some(1) && text.contains("crush.db: session s1, message 8-1:1:"), "{provider}: {text}");
        let before = fs::read(&database.path).expect("readable");
        let output = run(database.folder.path(), &["fix", "-w", "crush.db"]);
        let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(printed.contains("database rows cannot be added or moved"), "{printed}");
        assert_eq!(fs::read(&database.path).expect("readable"), before);
    }
}

#[test]
fn rows_of_crush_and_goose_are_repaired() {
    let doubled = CALLS.replace(r#"{"type":"finish""#, &format!("{CALL},{{\"type\":\"finish\""));
    let database = crush("anthropic", None, &[("user", ASKS), ("assistant", &doubled), ("tool", GIVES)]);
    database.run(|connection| connection.execute_batch("UPDATE sessions SET message_count = 3").expect("SQL"));
    assert_eq!(checked(&database, &[]).0, Some(1));
    let output = run(database.folder.path(), &["fix", "-w", "crush.db"]);
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!((output.status.code(), checked(&database, &[]).0), (Some(0), Some(0)), "{printed}");
    let parts = "SELECT parts FROM messages WHERE role = 'assistant'";
    let parts: String = open(&database.path).query_row(parts, [], |row| row.get(0)).expect("a row");
    assert_eq!(parts, CALLS);
    let orphan = [("user", ASKS), ("tool", GIVES), ("user", ASKS)];
    let database = crush("anthropic", None, &orphan);
    database.run(|connection| connection.execute_batch("UPDATE sessions SET message_count = 3").expect("SQL"));
    let output = run(database.folder.path(), &["fix", "-w", "--as", "request", "crush.db"]);
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert_eq!(database.count("SELECT count(*) FROM messages"), 2, "{printed}");
    assert_eq!(database.count("SELECT message_count FROM sessions"), 2, "{printed}");
    let orphan = GOOSE.replace("toolRequest", "systemNotification");
    let database = Database::with_name("sessions.db", &orphan);
    assert_eq!(checked(&database, &["--as", "request"]).0, Some(1));
    let output = run(database.folder.path(), &["fix", "-w", "--as", "request", "sessions.db"]);
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert_eq!(database.count("SELECT count(*) FROM messages"), 4, "{printed}");
}

#[test]
fn crush_begins_with_its_summary() {
    let messages = [("user", ASKS), ("assistant", ENDS), ("assistant", ENDS), ("user", ASKS)];
    let database = crush("anthropic", Some("7-2"), &messages);
    let (_, text) = checked(&database, &[]);
    assert!(text.contains("crush, 4 items"), "{text}");
    let output = run(database.folder.path(), &["convert", "crush.db", "--to", "chat"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(r#"[{"role":"user","content":"Done"},{"role":"user","content":"Hi"}]"#), "{text}");
}

#[test]
fn parts_that_cannot_be_read_are_named() {
    for bad in ["", "[{\"type\":\"te", "nothing"] {
        let database = crush("anthropic", None, &[("user", ASKS), ("assistant", bad), ("user", ASKS)]);
        let (code, text) = checked(&database, &[]);
        assert!(code != Some(2) && text.contains("crush, 4 items"), "{bad}: {text}");
        assert!(text.contains("session s1, message 8-1:1:"), "{bad}: {text}");
    }
}

pub const GOOSE: &str = "
        CREATE TABLE sessions (id TEXT PRIMARY KEY, working_dir TEXT NOT NULL, provider_name TEXT, model_config_json TEXT);
         CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL,
            content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, metadata_json TEXT);
         INSERT INTO sessions VALUES ('s1', '/w', 'anthropic', '{\"model_name\":\"claude-sonnet-4-5\"}');
         INSERT INTO messages VALUES
            (4, 'd', 's1', 'assistant', '[{\"type\":\"text\",\"text\":\"Done\"}]', 40, 'not JSON'),
            (1, 'a', 's1', 'user', '[{\"type\":\"text\",\"text\":\"Hi\"}]', 10, '{\"agentVisible\":true}'),
            (2, 'b', 's1', 'user', '[{\"type\":\"text\",\"text\":\"No\"}]', 20, '{\"agentVisible\":false}'),
            (3, 'c', 's1', 'assistant', '[{\"type\":\"thinking\",\"thinking\":\"W\",\"signature\":\"c2ln\"},{\"type\":\"toolRequest\",\"id\":\"t1\",\"toolCall\":{\"status\":\"success\",\"value\":{\"name\":\"ls\"}}}]', 30, NULL),
            (5, 'e', 's1', 'user', '[{\"type\":\"toolResponse\",\"id\":\"t1\",\"toolResult\":{\"status\":\"success\",\"value\":[{\"type\":\"text\",\"text\":\"a\"}]}}]', 35, NULL);";

#[test]
fn goose_leaves_out_what_is_not_for_the_model() {
    let (code, text) = checked(&Database::with_name("sessions.db", GOOSE), &[]);
    assert!(code == Some(0) && text.contains("sessions.db: session s1: goose-session, 9 items"), "{text}");
    assert!(text.contains("Format: goose-session. Checked against: anthropic."), "{text}");
}

const ADK: &str = "
    CREATE TABLE adk_internal_metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE sessions (app_name TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL,
        create_time REAL, update_time REAL, PRIMARY KEY (app_name, user_id, id));
    CREATE TABLE events (id TEXT NOT NULL, app_name TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
        invocation_id TEXT NOT NULL, timestamp REAL NOT NULL, event_data TEXT NOT NULL,
        PRIMARY KEY (app_name, user_id, session_id, id),
        FOREIGN KEY (app_name, user_id, session_id) REFERENCES sessions(app_name, user_id, id) ON DELETE CASCADE);";

/// Sessions of two users, with events.
pub fn adk() -> Database {
    let database = Database::with_name("adk.db", ADK);
    database.run(|connection| {
        for (user, texts) in [("u1", &["Hi", "Yes"][..]), ("u2", &["Hi"][..])] {
            let sql = "INSERT INTO sessions VALUES ('app', ?1, 's1', '{}', 1, 1)";
            connection.execute(sql, [user]).expect("inserted");
            for (n, text) in texts.iter().enumerate() {
                let role = if n == 0 { "user" } else { "model" };
                let event = format!(
                    r#"{{"author":"{role}","invocation_id":"i","content":{{"role":"{role}","parts":[{{"text":"{text}"}}]}}}}"#
                );
                // Ids are random, and events of one time are in the order of their rows.
                let sql = "INSERT INTO events VALUES (?1, 'app', ?2, 's1', 'i', 1.5, ?3)";
                connection.execute(sql, (format!("e{}", 9 - n), user, event)).expect("inserted");
            }
        }
    });
    database
}

#[test]
fn sessions_of_the_adk_are_identified_by_app_and_user() {
    let (code, text) = checked(&adk(), &[]);
    assert_eq!(code, Some(0), "{text}");
    for line in ["session s1, of app/u1: google-adk, 4 items", "session s1, of app/u2: google-adk, 2 items"] {
        assert!(text.contains(line), "{text}");
    }
}

/// Parts by SQL and serde: neither knows this program.
#[test]
fn databases_of_the_corpus_have_as_many_items_as_their_rows() {
    let Some(root) = corpus() else { return };
    let rows = |path: &str, sql: &str| -> Vec<Value> {
        let connection = Connection::open(root.join(path)).expect("a database");
        let mut query = connection.prepare(sql).expect("SQL");
        let rows = query.query_map([], |row| row.get::<_, String>(0)).expect("rows");
        rows.map(|row| serde_json::from_str(&row.expect("a row")).expect("JSON")).collect()
    };
    let count = |rows: &[Value], kinds: &[&str]| {
        let parts = rows.iter().flat_map(|row| row.as_array().map_or(vec![row], |parts| parts.iter().collect()));
        parts.filter(|part| kinds.contains(&part["type"].as_str().unwrap_or_default())).count()
    };
    let crush = rows("crush/handmade/crush.db", "SELECT parts FROM messages");
    // In Responses a text, a thought, a call and a result are an item each.
    let crush = count(&crush, &["text", "reasoning", "tool_call", "tool_result"]);
    let goose = rows("goose/handmade/sessions.db", "SELECT content_json FROM messages");
    // In Chat Completions, a text and the calls of an answer are one message.
    let goose = count(&goose, &["text", "toolRequest", "toolResponse"]);
    let opencode = rows("opencode/handmade/opencode.db", "SELECT data FROM part");
    let results = opencode.iter().filter(|part| part["state"]["status"] == "completed").count();
    let opencode = count(&opencode, &["text", "reasoning", "tool"]) + results;
    for (path, expected) in [
        ("crush/handmade/crush.db", format!("crush, {crush} items")),
        ("goose/handmade/sessions.db", format!("goose-session, {goose} items")),
        ("opencode/handmade/opencode.db", format!("opencode-session, {opencode} items")),
    ] {
        let output = run(&root, &["check", "-v", path]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(&expected), "{expected}: {text}");
    }
}

/// Each project of Crush has a database, and a file lists the projects.
#[test]
fn the_projects_of_crush_are_looked_into() {
    let database = crush("openai", None, &[("user", ASKS), ("assistant", ENDS)]);
    let home = tempfile::tempdir().expect("a folder");
    let listed = serde_json::json!({"projects": [
        {"path": "/gone", "data_dir": "/gone/.crush", "last_accessed": "2026-09-01T10:00:00Z"},
        {"path": "/w", "data_dir": database.folder.path(), "last_accessed": "2026-09-01T10:00:00Z"},
        {"path": "relative", "data_dir": ".crush", "last_accessed": "2026-09-01T10:00:00Z"},
    ]});
    fs::write(home.path().join("projects.json"), listed.to_string()).expect("written");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(["check", "--agents", "crush"])
        .env("CRUSH_GLOBAL_DATA", home.path())
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(text.starts_with("Crush: 1 session in "), "{text}");
}
