//! Checkpoints of LangGraph: the newest one of each thread is read, from MessagePack, and the database is never changed.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;

use crate::report::reports::run;

/// MessagePack of texts, lists, maps and objects that were constructed.
fn text(text: &str) -> Vec<u8> {
    [&[0xd9, text.len() as u8], text.as_bytes()].concat()
}

fn list(elements: &[Vec<u8>]) -> Vec<u8> {
    [vec![0x90 | elements.len() as u8], elements.concat()].concat()
}

fn map(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let written: Vec<u8> = members.iter().flat_map(|(key, val)| [text(key), val.clone()].concat()).collect();
    [vec![0x80 | members.len() as u8], written].concat()
}

fn message(class: &str, fields: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let module = text("langchain_core.messages");
    let inner = list(&[module, text(class), map(fields), text("model_validate_json")]);
    [&[0xc8, (inner.len() >> 8) as u8, inner.len() as u8, 5], &inner[..]].concat()
}

fn human(content: &str) -> Vec<u8> {
    message("HumanMessage", &[("content", text(content)), ("type", text("human"))])
}

fn call(id: &str) -> Vec<u8> {
    let call = map(&[("name", text("add")), ("args", map(&[("a", vec![1])])), ("id", text(id))]);
    message("AIMessage", &[("content", text("")), ("tool_calls", list(&[call]))])
}

fn checkpoint(messages: &[Vec<u8>]) -> Vec<u8> {
    map(&[("v", vec![4]), ("channel_values", map(&[("messages", list(messages))]))])
}

/// A database with these checkpoints: thread, namespace, id, and content.
fn database(checkpoints: &[(&str, &str, &str, Vec<u8>)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let connection = Connection::open(folder.path().join("graph.db")).expect("a database");
    connection
        .execute_batch(
            "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', \
             checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, \
             PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)); \
             CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', \
             checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, \
             type TEXT, value BLOB);",
        )
        .expect("tables");
    for (thread, part, id, cell) in checkpoints {
        let insert = "INSERT INTO checkpoints VALUES (?1, ?2, ?3, NULL, 'msgpack', ?4, x'7b7d')";
        connection.execute(insert, (thread, part, id, cell)).expect("inserted");
    }
    folder
}

/// A database whose messages have a text as content, class, key and id.
pub fn database_with_text(content: &str) -> TempDir {
    let odd = message(
        content,
        &[("content", text(content)), (content, text(content)), ("type", text(content)), ("id", text(content))],
    );
    let known = message(
        "HumanMessage",
        &[("content", text(content)), (content, list(&[text(content)])), ("id", text(content))],
    );
    let result = message("ToolMessage", &[("content", text(content)), ("tool_call_id", text(content))]);
    database(&[
        ("t1", "", "1", checkpoint(&[human(content), call(content), result.clone(), odd])),
        ("t2", "", "1", checkpoint(&[known, call(content), human(content), result])),
        ("t3", "", "1", text(content)),
    ])
}

fn command_output(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, args);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn the_newest_checkpoint_of_each_thread_is_judged() {
    let folder = database(&[
        ("t1", "", "1", checkpoint(&[human("Add."), call("call_1"), human("Well?")])),
        ("t1", "", "2", checkpoint(&[human("Start again.")])),
        ("t1", "sub", "1", checkpoint(&[human("Add."), call("call_2"), human("Well?")])),
        ("t2", "", "1", checkpoint(&[human("Add."), call("call_3")])),
    ]);
    let (code, text) = command_output(folder.path(), &["check", "-v", "--output-format", "concise", "graph.db"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(!text.contains("call_1"), "{text}");
    assert!(text.contains("graph.db: session t1, subgraph sub, row 1:1:"), "{text}");
    assert!(text.contains("error RL501 tool call call_2 has no tool message after it"), "{text}");
    assert!(text.contains("info RL501 tool call call_3 is still pending"), "{text}");
    assert!(text.contains("Format: langgraph-checkpoint"), "{text}");
}

#[test]
fn a_checkpoint_is_converted_and_never_edited() {
    let folder = database(&[("t1", "", "1", checkpoint(&[human("Add."), call("call_1"), human("Well?")]))]);
    let (code, text) = command_output(folder.path(), &["convert", "--to", "chat", "graph.db"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(r#""id":"call_1""#) && text.contains(r#"{\"a\":1}"#), "{text}");
    let before = fs::read(folder.path().join("graph.db")).expect("readable");
    let (code, text) = command_output(folder.path(), &["fix", "-w", "--force", "graph.db"]);
    assert_eq!(code, Some(1), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("no automatic fix: checkpoints are not edited") && text.contains("`update_state`"),
        "{text}"
    );
    assert_eq!(fs::read(folder.path().join("graph.db")).expect("readable"), before);
}

/// The update that `fix` prints for `update_state`.
fn update(messages: &[Vec<u8>]) -> serde_json::Value {
    let folder = database(&[("t1", "", "1", checkpoint(messages))]);
    let output = run(folder.path(), &["fix", "--as", "request", "--output-format", "json", "graph.db"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report.pointer("/inputs/0/update/with/messages").cloned().unwrap_or_default()
}

#[test]
fn what_to_give_to_the_graph_is_printed() {
    let calls = |calls: &[&str]| {
        let one = |id: &&str| map(&[("name", text("add")), ("args", map(&[])), ("id", text(id))]);
        let calls = list(&calls.iter().map(one).collect::<Vec<_>>());
        message("AIMessage", &[("content", text("")), ("id", text("answer")), ("tool_calls", calls)])
    };
    let result = |call: &str, id: &str| {
        let fields = [("content", text("3")), ("tool_call_id", text(call)), ("id", text(id))];
        message("ToolMessage", &fields)
    };
    let removed = |id: &str| serde_json::json!({"type": "remove", "content": "", "id": id});
    // At the end, a result is added.
    let made = update(&[human("Add."), calls(&["call_1", "call_2"]), result("call_1", "one")]);
    assert_eq!(made.as_array().map(Vec::len), Some(1), "{made}");
    assert_eq!((&made[0]["type"], &made[0]["tool_call_id"]), (&"tool".into(), &"call_2".into()), "{made}");
    // Before other messages, no result can be inserted.
    let made = update(&[human("Add."), calls(&["call_1", "call_2"]), result("call_1", "one"), human("Well?")]);
    assert_eq!(made, serde_json::json!([removed("answer"), removed("one")]));
    // A result that comes too late is removed with its call, and so is one without a call.
    let made = update(&[human("Add."), calls(&["call_1"]), human("Well?"), result("call_1", "late")]);
    assert_eq!(made, serde_json::json!([removed("answer"), removed("late")]));
    let made = update(&[human("Add."), result("call_1", "one"), human("Well?")]);
    assert_eq!(made, serde_json::json!([removed("one")]));
    assert_eq!(update(&[human("Add."), calls(&["call_1"]), result("call_1", "one")]), serde_json::Value::Null);
}

#[test]
fn a_cell_that_is_cut_is_a_diagnostic() {
    let mut cut = checkpoint(&[human("Add."), call("call_1")]);
    cut.truncate(cut.len() - 5);
    let folder = database(&[("t1", "", "1", cut), ("t2", "", "1", checkpoint(&[human("Hi.")]))]);
    let (code, text) = command_output(folder.path(), &["check", "-v", "--output-format", "concise", "graph.db"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("graph.db: session t1, row 1:1:1: error RL001"), "{text}");
    assert!(text.contains("session t2: langgraph-checkpoint, 1 item"), "{text}");
}
