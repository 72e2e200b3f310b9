//! Accepted findings: baselines, and entries of `[[ignore]]`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(args).current_dir(folder).env_remove("REPLAYLINT_OUTPUT_FORMAT").output().expect("it runs")
}

fn all_output(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs the program. Returns the exit code and all output.
fn run_cli(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, args);
    (output.status.code(), all_output(&output))
}

/// A request with unanswered calls of these ids, after a number of messages.
fn request(before: usize, calls: &[&str]) -> String {
    let message = r#"{"role":"user","content":"go"}"#.to_owned();
    let call = |id: &&str| format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#);
    let items: Vec<String> = std::iter::repeat_n(message, before).chain(calls.iter().map(call)).collect();
    format!("{{\"model\":\"gpt-5.1\",\"input\":[\n{}\n]}}", items.join(",\n"))
}

#[test]
fn only_findings_outside_of_the_baseline_fail() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path();
    let write = |name: &str, text: String| fs::write(root.join(name), text).expect("written");
    write("a.json", request(1, &["call_a1", "call_a2"]));
    write("b.json", request(1, &["call_b1"]));
    assert_eq!(run_cli(root, &["check", "."]).0, Some(1));
    let (status, output_text) = run_cli(root, &["check", "--baseline", ".replaylint-baseline.json", "."]);
    assert!(status == Some(2) && output_text.contains("replaylint baseline write"), "{output_text}");
    assert_eq!(
        run_cli(root, &["baseline", "write", "."]),
        (Some(0), "Wrote .replaylint-baseline.json: 3 findings in 2 files.\n".to_owned())
    );
    let baseline = fs::read_to_string(root.join(".replaylint-baseline.json")).expect("a file");
    assert!(!baseline.contains("call_"), "ids stay in the files: {baseline}");
    let known = ["check", "--baseline", ".replaylint-baseline.json", "."];
    let (status, output_text) = run_cli(root, &known);
    assert!(status == Some(0) && output_text.contains("Not reported: 3 in the baseline."), "{output_text}");
    assert!(!output_text.contains("skipped"), "the baseline itself is not worth a word: {output_text}");
    // Lines move, and the run is recorded again with other ids.
    write("a.json", request(7, &["call_other1", "call_other2"]));
    assert_eq!(run_cli(root, &known).0, Some(0));
    // The files are the same from another folder and by another name.
    let sub = root.join("sub");
    fs::create_dir(&sub).expect("a folder");
    let from_below = ["check", "--baseline", "../.replaylint-baseline.json", "../a.json"];
    assert_eq!(run_cli(&sub, &from_below).0, Some(0));
    // Only one more finding is new, and only it is reported.
    write("b.json", request(1, &["call_b1", "call_b2"]));
    let (status, output_text) =
        run_cli(root, &["check", "--output-format", "concise", "--baseline", known[2], "."]);
    assert!(
        status == Some(1) && output_text.contains("call_b2") && !output_text.contains("call_b1"),
        "{output_text}"
    );
    assert_eq!(run_cli(root, &["baseline", "check", "."]).0, Some(1));
    // A repaired finding is stale: `check` and `baseline check` report it, only the latter fails, and `prune` removes it.
    write("b.json", request(1, &[]));
    let (status, output_text) = run_cli(root, &known);
    assert!(
        status == Some(0)
            && output_text.contains("1 entry is no longer found; remove with `replaylint baseline prune "),
        "{output_text}"
    );
    let (status, output_text) = run_cli(root, &["baseline", "check", "."]);
    assert!(
        status == Some(1) && output_text.contains("b.json: stale baseline entry: RL101 is no longer found"),
        "{output_text}"
    );
    // A run without the file reports nothing about it.
    assert!(!run_cli(root, &["check", "--baseline", known[2], "a.json"]).1.contains("no longer found"));
    assert_eq!(
        run_cli(root, &["baseline", "prune", "."]),
        (Some(0), "Removed 1 stale entry from .replaylint-baseline.json; 2 remaining.\n".to_owned())
    );
    assert_eq!(run_cli(root, &["baseline", "check", "."]).0, Some(0));
    // A file that is not a baseline is left alone.
    let (status, output_text) = run_cli(root, &["baseline", "write", "--baseline", "a.json", "."]);
    assert!(status == Some(2) && output_text.contains("a.json: not a baseline"), "{output_text}");
}

#[test]
fn an_ignore_entry_names_the_subject_of_a_finding() {
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
        (
            (number("errors"), number("accepted"), number("fixable")),
            all_output(&output).contains("matches no finding"),
        )
    };
    assert_eq!(errors("id = \"call_1\"", &[]), ((2, 2, 2), false));
    assert_eq!(errors("id = \"call_1\"\npath = \"b.json\"", &[]), ((3, 1, 3), false));
    assert_eq!(errors("path = \"*.json\"", &[]), ((0, 4, 0), false));
    assert_eq!(errors("pointer = \"/input/2\"", &[]), ((2, 2, 2), false));
    assert_eq!(errors("id = \"call_1\"\npointer = \"/input/2\"", &[]), ((4, 0, 4), true));
    assert_eq!(errors("path = \"c.json\"", &[]), ((4, 0, 4), true));
    // An entry for a rule that did not run is not reported as unused.
    assert_eq!(errors("path = \"c.json\"", &["--select", "RL1"]), ((4, 0, 4), false));
    assert_eq!(run_cli(root, &["check", "."]).0, Some(1));
}

#[test]
fn fix_does_not_repair_ignored_findings() {
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
    let (status, output_text) = run_cli(root, &["fix", "a.json", "-o", "out.json"]);
    assert_eq!(status, Some(0), "{output_text}");
    let fixed = fs::read_to_string(root.join("out.json")).expect("a file");
    assert!(fixed.contains("call_x") && !fixed.contains("call_y"), "{fixed}");
}
