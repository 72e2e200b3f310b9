//! Databases as sources: their histories, and messages about those that are not read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::report::reports::run;
use crate::rules::corpus::{corpus, manifest};
use crate::source::writing::names;
use crate::support::check;
use crate::support::databases::{CALL, Database, OUTPUT, USER, open};

/// Exit code, standard output and standard error of `check`.
fn run_check(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder, &[&["check"], args].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The number of items of each history, from the log of `check -v`.
fn count_items(folder: &Path, name: &str) -> BTreeMap<String, usize> {
    let (_, _, log) = run_check(folder, &["-v", name]);
    let line = |line: &str| {
        let (label, count) =
            line.trim_end_matches('s').strip_suffix(" item")?.rsplit_once(": agents-session, ")?;
        Some((label.strip_prefix(name)?.strip_prefix(": ")?.to_owned(), count.parse().ok()?))
    };
    log.lines().filter_map(line).collect()
}

fn counts(expected: &[(&str, usize)]) -> BTreeMap<String, usize> {
    expected.iter().map(|(label, count)| ((*label).to_owned(), *count)).collect()
}

#[test]
fn each_session_is_a_history() {
    let database = Database::of(&[("a", &[USER, CALL, OUTPUT]), ("b", &[USER, OUTPUT]), ("c\nd", &[USER])]);
    let found = count_items(database.folder.path(), "agents.db");
    assert_eq!(found, counts(&[("session a", 3), ("session b", 2), ("session c\\u{a}d", 1)]));
    let (code, text, _) = run_check(database.folder.path(), &["--output-format", "json", "agents.db"]);
    assert_eq!(code, Some(1));
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let found = &report["diagnostics"][0];
    assert_eq!(
        (found["rule"].as_str(), found["path"].as_str()),
        (Some("RL102"), Some("agents.db: session b, row 5"))
    );
    assert_eq!((found["line"].as_u64(), found["span"]["start"].as_u64()), (Some(1), Some(0)));
    assert_eq!((report["summary"]["files"].as_u64(), report["summary"]["histories"].as_u64()), (Some(1), Some(3)));
    assert_eq!(names(database.folder.path()), ["agents.db"], "reading writes nothing");
}

#[test]
fn tables_are_recognised_by_their_columns_and_in_a_walk_by_their_bytes() {
    let database = Database::with_tables(&[("a", &[USER, CALL, OUTPUT])], ["chats", "chat_log"]);
    assert_eq!(count_items(database.folder.path(), "agents.db"), counts(&[("session a", 3)]));
    let other = database.folder.path().join("sessions.bin");
    fs::copy(&database.path, &other).expect("copied");
    fs::copy(&database.path, database.folder.path().join("agents.db.bak.1")).expect("copied");
    let (code, text, _) = run_check(database.folder.path(), &["."]);
    assert_eq!(code, Some(0));
    assert!(text.contains("2 conversations (2 files)"), "{text}");
}

#[test]
fn branches_are_histories_in_the_order_of_their_rows() {
    let second = r#"{"role": "user", "content": "or rather"}"#;
    let database = Database::with_branches(&[OUTPUT, CALL, USER, second], &[("b2", &[4]), ("main", &[3, 2, 1])]);
    // The output is in the first row, and is the last item.
    let found = count_items(database.folder.path(), "agents.db");
    assert_eq!(found, counts(&[("session s", 3), ("session s, branch b2", 1)]));
    assert_eq!(run_check(database.folder.path(), &["agents.db"]).0, Some(0));
}

#[test]
fn an_encrypted_session_is_reported_and_others_are_read() {
    let sealed = r#"{"__enc__": 1, "v": 1, "kid": "k", "payload": "gAAAA"}"#;
    let database = Database::of(&[("a", &[sealed, sealed]), ("b", &[USER, OUTPUT])]);
    let (code, text, _) = run_check(database.folder.path(), &["--output-format", "concise", "agents.db"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("agents.db: session a:1:1: error RL004 the session is encrypted"), "{text}");
    assert!(text.contains("session b, row 4:1:1: error RL102"), "{text}");
    let (code, ..) = run_check(database.folder.path(), &["."]);
    assert_eq!(code, Some(1), "the encrypted session is skipped, the other one is judged");
}

/// No expression of the schema is evaluated: the view would never end.
#[test]
fn a_hostile_schema_is_not_evaluated() {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x";
    for sql in [
        format!(
            "CREATE VIEW agent_sessions AS {endless} AS session_id, 1 AS created_at, 2 AS updated_at FROM n; \
             CREATE VIEW agent_messages AS {endless} AS id, 's' AS session_id, '{{}}' AS message_data FROM n;"
        ),
        "CREATE TABLE agent_sessions (session_id, created_at, updated_at); \
         CREATE TABLE agent_messages (id, session_id, message_data AS (zeroblob(1000000000)));"
            .to_owned(),
        "CREATE TABLE agent_sessions (session_id, created_at, updated_at); \
         CREATE VIRTUAL TABLE agent_messages USING fts5(id, session_id, message_data);"
            .to_owned(),
    ] {
        let database = Database::new(&sql);
        let (code, text, _) = run_check(database.folder.path(), &["--output-format", "concise", "agents.db"]);
        assert!(text.contains("RL004 SQLite database without any table of a known store"), "{sql}: {text}");
        assert_eq!(code, Some(2), "no conversation was found");
    }
}

#[test]
fn a_database_that_is_named_like_a_text_is_one_in_a_walk() {
    let database = Database::of(&[("a", &[USER, CALL, OUTPUT]), ("b", &[USER])]);
    let misnamed = tempfile::tempdir().expect("a folder");
    fs::copy(&database.path, misnamed.path().join("agents.json")).expect("copied");
    for argument in [".", "agents.json"] {
        let (_, _, log) = run_check(misnamed.path(), &["-v", argument]);
        assert!(log.contains("session a: ") && log.contains("session b: "), "{argument}: {log}");
    }
}

#[test]
fn a_foreign_database_is_reported_or_skipped() {
    let database = Database::new("CREATE TABLE notes (id, session_id, text)");
    let folder = database.folder.path();
    let (code, text, _) = run_check(folder, &["--output-format", "concise", "agents.db"]);
    assert_eq!((code, text.matches("RL004").count()), (Some(2), 1), "{text}");
    fs::write(folder.join("h.json"), format!("[{USER}]")).expect("written");
    let (code, text, stderr) = run_check(folder, &["-v", "."]);
    assert_eq!(code, Some(0));
    assert!(
        stderr.contains("agents.db: skipped (unknown format)") && text.contains("1 skipped"),
        "{stderr}{text}"
    );
    let empty = Database::of(&[]);
    let (code, text, _) = run_check(empty.folder.path(), &["agents.db"]);
    assert!(code == Some(2) && text.contains("whose conversation tables are empty"), "{text}");
}

#[test]
fn rows_that_are_only_in_the_wal_file_are_read() {
    let database = Database::new("PRAGMA journal_mode = WAL");
    let (folder, log) = (database.folder.path(), database.folder.path().join("agents.db-wal"));
    let writer = open(&database.path);
    writer.pragma_update(None, "wal_autocheckpoint", 0).expect("set");
    writer
        .execute_batch(&format!(
            "CREATE TABLE agent_sessions (session_id, created_at, updated_at); \
             CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data); \
             INSERT INTO agent_messages VALUES (1, 's', '{USER}'), (2, 's', '{CALL}'), (3, 's', '{OUTPUT}');"
        ))
        .expect("SQL");
    assert_eq!(count_items(folder, "agents.db"), counts(&[("session s", 3)]), "while a program has it open");
    let copies = tempfile::tempdir().expect("a folder");
    fs::copy(&database.path, copies.path().join("agents.db")).expect("copied");
    let (code, text, _) = run_check(copies.path(), &["--output-format", "concise", "agents.db"]);
    assert!(
        code == Some(2) && text.contains("its `-wal` file, which contains the latest writes, is missing"),
        "{text}"
    );
    fs::copy(&log, copies.path().join("agents.db-wal")).expect("copied");
    assert_eq!(count_items(copies.path(), "agents.db"), counts(&[("session s", 3)]), "both files were copied");
    assert_eq!(names(copies.path()), ["agents.db", "agents.db-wal"], "nothing is written beside it");
    assert!(fs::metadata(&log).is_ok_and(|meta| meta.len() > 0));
}

#[test]
fn a_locked_or_damaged_database_does_not_end_the_run() {
    let (locked, damaged) = (Database::of(&[("a", &[USER])]), Database::of(&[("a", &[USER; 200])]));
    let folder = locked.folder.path();
    let mut bytes = fs::read(&damaged.path).expect("readable");
    let middle = bytes.len() / 2;
    bytes[4096..].fill(0x55);
    bytes.truncate(middle.max(8192));
    fs::write(folder.join("damaged.db"), bytes).expect("written");
    fs::write(folder.join("cut.db"), b"SQLite format 3\0").expect("written");
    fs::write(folder.join("h.json"), format!("[{USER}]")).expect("written");
    let writer = open(&locked.path);
    writer.execute_batch("BEGIN EXCLUSIVE").expect("locked");
    let (code, text, stderr) = run_check(folder, &["agents.db", "damaged.db", "cut.db", "h.json"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("agents.db: the database is locked by another process"), "{stderr}");
    assert!(stderr.contains("damaged.db: the database is damaged"), "{stderr}");
    assert_eq!(stderr.lines().filter(|line| line.starts_with("replaylint: ")).count(), 3, "{stderr}");
    assert!(text.contains("1 conversation"), "{text}");
}

#[test]
fn other_commands_read_databases() {
    let (a, b) = (
        Database::of(&[("a", &[USER, CALL, OUTPUT]), ("b", &[USER])]),
        Database::of(&[("b", &[USER, CALL, OUTPUT])]),
    );
    let folder = a.folder.path();
    fs::copy(&b.path, folder.join("b.db")).expect("copied");
    let text = |args: &[&str]| {
        let output = run(folder, args);
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (code, output_text) = text(&["diff", "agents.db", "b.db"]);
    assert_eq!(code, Some(1));
    assert!(output_text.contains("(session a, records 1 to 3): only in the first file"), "{output_text}");
    assert!(
        output_text.contains("2 conversations: 1 same, 2 added, 3 removed; only on one side: 1 conversation."),
        "{output_text}"
    );
    assert_eq!(text(&["diff", "b.db", "b.db"]).0, Some(0));
    let (code, output_text) = text(&["tree", "agents.db"]);
    assert!(code == Some(0) && output_text.contains("agents.db: session a (agents-session)"), "{output_text}");
    let (code, output_text) = text(&["convert", "agents.db", "--to", "chat", "-o", "out/"]);
    assert_eq!(code, Some(0), "{output_text}");
    assert_eq!(names(&folder.join("out")), ["agents.db.a.json", "agents.db.b.json"]);
    assert_eq!(text(&["convert", "agents.db", "--to", "chat"]).0, Some(2), "two sessions are two bodies");
    let (code, output_text) = text(&["convert", "b.db", "--to", "chat"]);
    assert!(code == Some(0) && output_text.contains("\"tool_call_id\":\"call_1\""), "{output_text}");
    assert_eq!(text(&["slim", "-w", "b.db"]).0, Some(2));
}

/// Rows are counted by SQL, items of the dumps by serde, independently of this program.
#[test]
fn databases_of_the_corpus_have_as_many_items_as_their_dumps() {
    let Some(root) = corpus() else { return };
    let folder = root.join("openai-agents-session/generated");
    let found = count_items(&folder, "conversations.db");
    assert_eq!(found.len(), 6);
    for (label, count) in found {
        let session = label.strip_prefix("session ").expect("a session");
        let dump = fs::read(folder.join(format!("session_{session}.items.json"))).expect("a dump");
        let dump: Vec<Value> = serde_json::from_slice(&dump).expect("JSON");
        assert_eq!(count, dump.len(), "{session}");
    }
    assert_eq!(count_items(&folder, "advanced.db"), counts(&[("session adv_1", 6)]));
}

/// The number of items that the SDK would send on resuming, by its rules.
#[test]
fn run_states_of_the_corpus_have_as_many_items_as_the_sdk_counts() {
    let Some(root) = corpus() else { return };
    let (mut states, mut all) = (0, 0);
    for file in manifest(&root)
        .iter()
        .filter(|file| file.path.contains("openai-agents-runstate/openai+openai-agents-python"))
    {
        let text = fs::read(root.join(&file.path)).expect("readable");
        let state: Value = serde_json::from_slice(&text).expect("JSON");
        let list = |key: &str| state[key].as_array().cloned().unwrap_or_default();
        if state["$schemaVersion"].is_null() || !state["generated_items"].is_array() {
            continue;
        }
        let refs: Vec<Value> =
            list("nested_history_owned_session_item_refs").iter().map(|one| one["index"].clone()).collect();
        let indexes = list("generated_session_item_indexes");
        let generated = list("generated_items");
        let sent = generated.iter().enumerate().filter(|(n, item)| {
            let repeated = indexes.get(*n).is_some_and(|index| !index.is_null() && refs.contains(index));
            item["type"] != "tool_approval_item" && !repeated
        });
        // A text is sent as a message of the user.
        let input = list("original_input").len() + usize::from(state["original_input"].is_string());
        let expected = input + sent.count();
        let found = check(&text, &Default::default());
        assert_eq!(found.format.map(|format| format.info().name), Some("agents-run-state"), "{}", file.path);
        assert_eq!(found.items, expected as u64, "{}", file.path);
        (states, all) = (states + 1, all + expected);
    }
    assert!(states >= 36 && all >= 10, "{states} states with {all} items");
}

#[test]
fn a_database_in_a_stream_is_reported() {
    let database = Database::of(&[("a", &[USER])]);
    let bytes = fs::read(&database.path).expect("readable");
    let found = crate::support::diagnostics(&bytes, &Default::default());
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("cannot be read from a stream"), "{}", found[0].message);
}
