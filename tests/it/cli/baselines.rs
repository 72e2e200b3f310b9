//! Findings that are accepted: baselines, and entries of `[[ignore]]`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(args).current_dir(folder).env_remove("REPLAYLINT_OUTPUT_FORMAT").output().expect("it runs")
}

fn both(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs, and gives the exit code with all that was printed.
fn code(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, args);
    (output.status.code(), both(&output))
}

/// A request with unanswered calls of these ids, after so many messages.
fn request(before: usize, calls: &[&str]) -> String {
    let message = r#"{"role":"user","content":"go"}"#.to_owned();
    let call = |id: &&str| format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#);
    let items: Vec<String> = std::iter::repeat_n(message, before).chain(calls.iter().map(call)).collect();
    format!("{{\"model\":\"gpt-5.1\",\"input\":[\n{}\n]}}", items.join(",\n"))
}

#[test]
fn a_baseline_knows_findings_and_new_ones_fail() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path();
    let write = |name: &str, text: String| fs::write(root.join(name), text).expect("written");
    write("a.json", request(1, &["call_a1", "call_a2"]));
    write("b.json", request(1, &["call_b1"]));
    assert_eq!(code(root, &["check", "."]).0, Some(1));
    let (status, said) = code(root, &["check", "--baseline", ".replaylint-baseline.json", "."]);
    assert!(status == Some(2) && said.contains("replaylint baseline write"), "{said}");
    assert_eq!(
        code(root, &["baseline", "write", "."]),
        (Some(0), "Wrote .replaylint-baseline.json: 3 findings in 2 files.\n".to_owned())
    );
    let baseline = fs::read_to_string(root.join(".replaylint-baseline.json")).expect("a file");
    assert!(!baseline.contains("call_"), "ids stay in the files: {baseline}");
    let known = ["check", "--baseline", ".replaylint-baseline.json", "."];
    let (status, said) = code(root, &known);
    assert!(status == Some(0) && said.contains("Not reported: 3 in the baseline."), "{said}");
    assert!(!said.contains("skipped"), "the baseline itself is not worth a word: {said}");
    // Lines move, and the run is recorded again with other ids.
    write("a.json", request(7, &["call_other1", "call_other2"]));
    assert_eq!(code(root, &known).0, Some(0));
    // From elsewhere, and named in another way, the files are the same.
    let sub = root.join("sub");
    fs::create_dir(&sub).expect("a folder");
    let from_below = ["check", "--baseline", "../.replaylint-baseline.json", "../a.json"];
    assert_eq!(code(&sub, &from_below).0, Some(0));
    // One more is new, and the only one that is reported.
    write("b.json", request(1, &["call_b1", "call_b2"]));
    let (status, said) = code(root, &["check", "--output-format", "concise", "--baseline", known[2], "."]);
    assert!(status == Some(1) && said.contains("call_b2") && !said.contains("call_b1"), "{said}");
    assert_eq!(code(root, &["baseline", "check", "."]).0, Some(1));
    // What is repaired is stale: named by both, a failure for one, and taken out by prune.
    write("b.json", request(1, &[]));
    let (status, said) = code(root, &known);
    assert!(
        status == Some(0) && said.contains("1 entry is no longer found; `replaylint baseline prune "),
        "{said}"
    );
    let (status, said) = code(root, &["baseline", "check", "."]);
    assert!(status == Some(1) && said.contains("b.json: RL101 of the baseline is no longer found"), "{said}");
    // A run that did not look at the file says nothing of it.
    assert!(!code(root, &["check", "--baseline", known[2], "a.json"]).1.contains("no longer found"));
    assert_eq!(
        code(root, &["baseline", "prune", "."]),
        (Some(0), "Removed 1 entry from .replaylint-baseline.json; 2 left.\n".to_owned())
    );
    assert_eq!(code(root, &["baseline", "check", "."]).0, Some(0));
    // Whatever is not a baseline is left alone.
    let (status, said) = code(root, &["baseline", "write", "--baseline", "a.json", "."]);
    assert!(status == Some(2) && said.contains("a.json: not a baseline"), "{said}");
}

#[test]
fn one_finding_is_ignored_by_what_it_is_about() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path();
    let text = request(1, &["call_1", "call_2"]);
    fs::write(root.join("a.json"), &text).expect("written");
    fs::write(root.join("b.json"), &text).expect("written");
    let errors = |entry: &str, args: &[&str]| {
        let config = format!("[[ignore]]\nrule = \"RL101\"\nreason = \"stopped on purpose\"\n{entry}\n");
        fs::write(root.join("replaylint.toml"), config).expect("written");
        let output = run(root, &[&["check", "--output-format", "json", "."], args].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let summary = &report["summary"];
        let number = |name: &str| summary[name].as_u64().unwrap_or_default();
        ((number("errors"), number("accepted"), number("fixable")), both(&output).contains("matches no finding"))
    };
    assert_eq!(errors("id = \"call_1\"", &[]), ((2, 2, 2), false));
    assert_eq!(errors("id = \"call_1\"\npath = \"b.json\"", &[]), ((3, 1, 3), false));
    assert_eq!(errors("path = \"*.json\"", &[]), ((0, 4, 0), false));
    assert_eq!(errors("pointer = \"/input/2\"", &[]), ((2, 2, 2), false));
    assert_eq!(errors("id = \"call_1\"\npointer = \"/input/2\"", &[]), ((4, 0, 4), true));
    assert_eq!(errors("path = \"c.json\"", &[]), ((4, 0, 4), true));
    // What was not looked for cannot be missed.
    assert_eq!(errors("path = \"c.json\"", &["--select", "RL1"]), ((4, 0, 4), false));
    assert_eq!(code(root, &["check", "."]).0, Some(1));
}

#[test]
fn fix_leaves_what_is_ignored() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path();
    let items = [
        r#"{"role":"user","content":"go"}"#,
        r#"{"type":"function_call_output","call_id":"call_x","output":"1"}"#,
        r#"{"role":"user","content":"on"}"#,
        r#"{"type":"function_call_output","call_id":"call_y","output":"2"}"#,
        r#"{"role":"user","content":"on"}"#,
    ];
    let text = format!("{{\"model\":\"gpt-5.1\",\"input\":[\n{}\n]}}", items.join(",\n"));
    fs::write(root.join("a.json"), &text).expect("written");
    let config =
        "[[ignore]]\nrule = \"orphan-output\"\nid = \"call_x\"\nreason = \"the call is in another file\"\n";
    fs::write(root.join("replaylint.toml"), config).expect("written");
    let (status, said) = code(root, &["fix", "a.json", "-o", "out.json"]);
    assert_eq!(status, Some(0), "{said}");
    let fixed = fs::read_to_string(root.join("out.json")).expect("a file");
    assert!(fixed.contains("call_x") && !fixed.contains("call_y"), "{fixed}");
}
