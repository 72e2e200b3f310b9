//! Provoked panics: each is reported as a bug, without any content of the file, and the run continues and fails.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Content that must not be shown.
const SECRET: &str = "sesame-open-the-door";
/// A word in a text that provokes a panic.
const WORD: &str = "provoked-panic-7d1f";

fn request(text: &str) -> String {
    json!({"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}).to_string()
}

/// Exit code, standard output and standard error.
fn run(folder: &Path, args: &[&str], word: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(args).arg("--isolated").current_dir(folder).env("REPLAYLINT_TEST_PANIC", word);
    let output = command.env_remove("REPLAYLINT_OUTPUT_FORMAT").output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Asserts that a bug report names the version, the place in the source, and what to do, and quotes nothing.
fn assert_bug_report(line: &str) {
    for part in [concat!("replaylint ", env!("CARGO_PKG_VERSION")), "src/source/bug.rs:", "please report it"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains(SECRET) && !line.contains(WORD), "{line}");
}

#[test]
fn a_panic_in_a_record_skips_the_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = request(&format!("{SECRET} {WORD}"));
    let unanswered = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "hi"},
        {"role": "tool", "tool_call_id": "call_1", "content": "an output of nothing"},
    ]});
    // The second panic is in a later chunk.
    let filler = request(&"x".repeat(3 << 20));
    let log = [&*request("hi"), &bad, &unanswered.to_string(), &filler, &bad, &request("hi")].join("\n") + "\n";
    fs::write(folder.path().join("log.jsonl"), log).expect("written");
    for threads in ["-j1", "-j3"] {
        let (code, out, err) =
            run(folder.path(), &["check", "--output-format", "json", threads, "log.jsonl"], WORD);
        assert_eq!(code, Some(2), "{err}");
        let reports: Vec<&str> = err.lines().filter(|line| line.contains("internal error")).collect();
        reports.iter().for_each(|line| assert_bug_report(line));
        assert!(reports.len() == 2 && reports[0].contains("log.jsonl: record 2 is skipped"), "{err}");
        assert!(reports[1].contains("log.jsonl: record 5 is skipped"), "{err}");
        assert!(!err.contains(SECRET) && !err.contains("panicked"), "{err}");
        let report: Value = serde_json::from_str(&out).expect("JSON");
        let found = report["diagnostics"].as_array().expect("a list");
        let records: Vec<&Value> = found.iter().map(|one| &one["record"]).collect();
        assert_eq!(records, [&json!(3)], "the others are judged, with their own numbers: {out}");
    }
}

#[test]
fn commands_that_write_leave_a_file_with_a_panic_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "hi"},
        {"role": "tool", "tool_call_id": "call_1", "content": "an output of nothing"},
    ]});
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).expect("written");
    let bad = format!("{open}\n{}\n", request(WORD));
    write("bad.jsonl", bad.clone());
    write("good.jsonl", format!("{open}\n{open}\n"));
    let (code, _, err) = run(folder.path(), &["fix", "-w", "--force", "bad.jsonl", "good.jsonl"], WORD);
    assert_eq!(code, Some(2), "{err}");
    let report = err.lines().find(|line| line.contains("internal error")).expect("a report");
    assert_bug_report(report);
    assert!(report.contains("bad.jsonl: record 2: "), "{err}");
    assert_eq!(fs::read_to_string(folder.path().join("bad.jsonl")).expect("it is there"), bad);
    let good = fs::read_to_string(folder.path().join("good.jsonl")).expect("it is there");
    assert!(!good.contains("call_1"), "the other file is repaired: {good}");
    let (code, _, err) = run(folder.path(), &["convert", "--to", "anthropic", "bad.jsonl"], WORD);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("bad.jsonl: record 2: internal error"), "{err}");
}

#[test]
fn a_panic_in_a_file_skips_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a.json", "b-provoked.json", "c.json"] {
        fs::write(folder.path().join(name), request(SECRET)).expect("written");
    }
    for threads in ["-j1", "-j2"] {
        let (code, out, err) = run(folder.path(), &["check", threads, "."], "b-provoked");
        assert_eq!(code, Some(2), "{err}");
        assert!(out.contains("2 files"), "the others are checked: {out}");
        let report = err.lines().find(|line| line.contains("internal error")).expect("a report");
        assert_bug_report(report);
        assert!(report.contains("b-provoked.json: skipped: "), "{err}");
    }
}
