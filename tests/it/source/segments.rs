//! Logs in several files: read as one, each finding and each edit at its own file.

use std::fs;
use std::path::Path;

use crate::report::reports::{json, run};

const ASK: &str = r#"{"type":"ag2.events.input_events.ModelRequest","data":{"content":"Go"}}"#;
const CALL: &str = r#"{"type":"ag2.events.types.ModelResponse","data":{"message":null,"tool_calls":{"calls":[{"__event__":"ag2.events.tool_events.ToolCallEvent","id":"call_1","name":"f","arguments":"{}"},{"__event__":"ag2.events.tool_events.ToolCallEvent","id":"call_2","name":"f","arguments":"{}"}]}}}"#;
const MENDED: &str = r#"{"type":"ag2.events.types.ModelResponse","data":{"message":null,"tool_calls":{"calls":[{"__event__":"ag2.events.tool_events.ToolCallEvent","id":"call_1","name":"f","arguments":"{}"}]}}}"#;
const ANSWER: &str = r#"{"type":"ag2.events.tool_events.ToolResultsEvent","data":{"results":[{"__event__":"ag2.events.tool_events.ToolResultEvent","parent_id":"call_1","name":"f","result":{}}]}}"#;
const STRAY: &str = r#"{"type":"ag2.events.tool_events.ToolResultsEvent","data":{"results":[{"__event__":"ag2.events.tool_events.ToolResultEvent","parent_id":"call_9","name":"f","result":{}}]}}"#;

/// A log of three files: `call_1` is answered in another file, `call_2` nowhere, and the last file
/// contains an output without a call.
fn segmented_log() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    // The second file ends without a line feed, and the tenth follows it.
    write(folder.path(), "s.dropped-2.jsonl", &format!("{ASK}\n{CALL}"));
    write(folder.path(), "s.dropped-10.jsonl", &format!("\n{ANSWER}\n"));
    write(folder.path(), "s.jsonl", &format!("{ASK}\n{STRAY}\n{ASK}\n"));
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::write(&path, text).expect("written");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&path).expect("open").set_modified(past).expect("set");
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("readable")
}

#[test]
fn a_log_in_several_files_is_one_history_however_it_is_named() {
    let folder = segmented_log();
    for arguments in [&["s.jsonl"][..], &["s.dropped-10.jsonl"], &["."], &["s.dropped-2.jsonl", "s.jsonl"]] {
        let args: Vec<&str> = ["check", "--output-format", "json"].iter().chain(arguments).copied().collect();
        let report = json(&run(folder.path(), &args));
        assert_eq!(report["summary"]["histories"], 1, "{arguments:?}");
        let found: Vec<(String, u64, u64, String)> = report["diagnostics"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|diagnostic| {
                let name = Path::new(diagnostic["path"].as_str().expect("a path")).file_name().expect("a name");
                let number = |key: &str| diagnostic[key].as_u64().expect("a number");
                // The span is relative to the named file.
                let text = read(folder.path(), &name.to_string_lossy());
                let span = |key: &str| diagnostic["span"][key].as_u64().expect("a number") as usize;
                let item = &text[span("start")..span("end")];
                assert!(item.contains(diagnostic["call_id"].as_str().expect("an id")), "{item}");
                let rule = diagnostic["rule"].as_str().expect("a code").to_owned();
                (name.to_string_lossy().into_owned(), number("line"), number("record"), rule)
            })
            .collect();
        let expected = [
            ("s.dropped-2.jsonl".to_owned(), 2, 2, "RL101".to_owned()),
            ("s.jsonl".to_owned(), 2, 2, "RL102".to_owned()),
        ];
        assert_eq!(found, expected, "{arguments:?}");
    }
}

#[test]
fn a_repair_writes_the_files_that_it_changes_and_no_other() {
    let folder = segmented_log();
    let output = run(folder.path(), &["fix", "-w", "--orphans", "drop", "s.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(folder.path(), "s.dropped-2.jsonl"), format!("{ASK}\n{MENDED}"));
    assert_eq!(read(folder.path(), "s.dropped-10.jsonl"), format!("\n{ANSWER}\n"));
    assert_eq!(read(folder.path(), "s.jsonl"), format!("{ASK}\n{ASK}\n"));
    assert_eq!(read(folder.path(), "s.jsonl.bak"), format!("{ASK}\n{STRAY}\n{ASK}\n"));
    assert!(folder.path().join("s.dropped-2.jsonl.bak").exists());
    assert!(!folder.path().join("s.dropped-10.jsonl.bak").exists());
}

#[test]
fn a_copy_contains_every_file_and_a_patch_the_changed_ones() {
    let folder = segmented_log();
    let output = run(folder.path(), &["fix", "-o", "out", "--orphans", "drop", "s.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let out = folder.path().join("out");
    assert_eq!(read(&out, "s.dropped-2.jsonl"), format!("{ASK}\n{MENDED}"));
    assert_eq!(read(&out, "s.dropped-10.jsonl"), format!("\n{ANSWER}\n"));
    assert_eq!(read(&out, "s.jsonl"), format!("{ASK}\n{ASK}\n"));
    let output = run(folder.path(), &["fix", "--patch", "--orphans", "drop", "s.jsonl"]);
    let patch = String::from_utf8_lossy(&output.stdout);
    let heads: Vec<&str> =
        patch.lines().filter(|line| line.starts_with("--- ") || line.starts_with("@@")).collect();
    assert_eq!(heads, ["--- a/s.dropped-2.jsonl", "@@ -1,2 +1,2 @@", "--- a/s.jsonl", "@@ -1,3 +1,2 @@"]);
}

#[test]
fn a_truncated_segment_is_damage_and_its_lost_items_are_not_judged() {
    let folder = segmented_log();
    write(folder.path(), "s.dropped-2.jsonl", &format!("{ASK}\n{}", &CALL[..CALL.len() - 9]));
    let output = run(folder.path(), &["fix", "-w", "--orphans", "drop", "s.jsonl"]);
    assert_eq!(output.status.code(), Some(1));
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output_text.contains("RL001") && output_text.contains("s.dropped-2.jsonl:2:"), "{output_text}");
    assert_eq!(read(folder.path(), "s.jsonl"), format!("{ASK}\n{STRAY}\n{ASK}\n"));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3);
}

#[test]
fn files_with_similar_names_are_not_joined() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["s.jsonl", "s.dropped-1.jsonl"] {
        write(folder.path(), name, "{\"role\":\"user\",\"content\":\"a\"}\n");
    }
    let report = json(&run(folder.path(), &["check", "--output-format", "json", "."]));
    assert_eq!((&report["summary"]["files"], &report["summary"]["histories"]), (&2.into(), &2.into()));
}
