//! Reports: the JSON conforms to its contract, every place locates the named value, and no content leaks.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs the program in a folder.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(args)
        .current_dir(folder)
        .env_remove("REPLAYLINT_OUTPUT_FORMAT")
        .env_remove("NO_COLOR")
        .env_remove("FORCE_COLOR")
        .output()
        .expect("the program runs")
}

/// Runs the program in a folder, with text on standard input.
pub fn run_with_input(folder: &Path, args: &[impl AsRef<OsStr>], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(args)
        .current_dir(folder)
        .env_remove("REPLAYLINT_OUTPUT_FORMAT")
        .env_remove("FORCE_COLOR")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    // The program may end before it has read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

pub fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stdout)))
}

#[test]
fn reports_conform_to_their_contract() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../schemas/report.v1.json")).expect("the schema is JSON");
    let schema = jsonschema::validator_for(&schema).expect("the schema compiles");
    for args in [
        &["check", "--output-format", "json", "."][..],
        &["check", "--output-format", "json", "-v", "--target", "deepseek", "."],
        &["fix", "--output-format", "json", "."],
        &["fix", "--output-format", "json", "--orphans", "stub", "--reasoning", "strip", "."],
    ] {
        for folder in ["formats", "readme", "broken"] {
            let report = json(&run(&testdata().join(folder), args));
            let errors: Vec<String> =
                schema.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path())).collect();
            assert!(errors.is_empty(), "{args:?} {folder}: {errors:?}");
            assert!(report["diagnostics"].as_array().is_some_and(|list| folder == "readme" || !list.is_empty()));
        }
    }
}

/// Line and column of an offset, counted simply.
fn line_and_column(text: &[u8], offset: usize) -> (u64, u64) {
    let before = &text[..offset];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    (line as u64, String::from_utf8_lossy(&before[start..]).chars().count() as u64 + 1)
}

#[test]
fn places_locate_the_values_that_they_name() {
    let folder = testdata().join("formats");
    let report = json(&run(&folder, &["check", "--output-format", "json", "-v", "."]));
    let mut seen = 0;
    for diagnostic in report["diagnostics"].as_array().expect("a list") {
        // Damage to a line is not a value.
        if ["RL003", "RL009", "RL010", "RL011", "RL686", "RL690"]
            .contains(&diagnostic["rule"].as_str().expect("a code"))
        {
            continue;
        }
        let path = folder.join(diagnostic["path"].as_str().expect("a path"));
        let text = std::fs::read(&path).expect("readable");
        let span = |key: &str| diagnostic["span"][key].as_u64().expect("a number") as usize;
        let (start, end) = (span("start"), span("end"));
        let place = (diagnostic["line"].as_u64(), diagnostic["column"].as_u64());
        let (line, column) = line_and_column(&text, start);
        assert_eq!(place, (Some(line), Some(column)), "{diagnostic}");
        // The value at the pointer is the text at the span, and it has the ids that the diagnostic names.
        let record = match path.extension().and_then(|e| e.to_str()) {
            Some("jsonl" | "sse" | "txt") => text.split(|b| *b == b'\n').nth(line as usize - 1).expect("a line"),
            _ => &text,
        };
        let record = record.strip_prefix(b"data: ").unwrap_or(record);
        let record: Value = serde_json::from_slice(record).expect("JSON");
        let at: Value = serde_json::from_slice(&text[start..end]).expect("JSON");
        let pointed = record.pointer(diagnostic["pointer"].as_str().expect("a pointer")).expect("a value");
        assert_eq!(*pointed, at, "{diagnostic}");
        let item = match diagnostic["inner_pointer"].as_str() {
            Some(inner) => {
                let text: Value = serde_json::from_str(at.as_str().expect("a string")).expect("JSON");
                text.pointer(inner).expect("a value").clone()
            }
            None => at,
        };
        // Stores have other keys for ids, some of them outside of the part: they are somewhere in the record.
        let folder = path.components().rev().nth(1).and_then(|part| part.as_os_str().to_str());
        let format = folder.and_then(replaylint::internals::formats::by_name);
        if format.is_some_and(|format| format.layout().is_translated()) {
            let ids = [&diagnostic["id"], &diagnostic["call_id"]].into_iter().filter_map(Value::as_str);
            // Calls without an id are numbered.
            let is_numbered =
                |id: &&str| id.strip_prefix("call_").is_some_and(|number| number.parse::<u32>().is_ok());
            ids.filter(|id| !is_numbered(id))
                .for_each(|id| assert!(record.to_string().contains(id), "{diagnostic}"));
            seen += 1;
            continue;
        }
        let id = &diagnostic["id"];
        let metadata_id = &item["provider_metadata"]["openai"]["data"]["item_id"];
        assert!(id.is_null() || [&item["id"], &item["tool_call_id"], metadata_id].contains(&id), "{diagnostic}");
        let call_id = &diagnostic["call_id"];
        let written = ["call_id", "tool_call_id", "tool_use_id", "parent_id", "id"].map(|key| &item[key]);
        let wrapped = ["toolUse", "toolResult", "functionCall", "functionResponse"].map(|key| &item[key]);
        let inner = wrapped.iter().any(|part| [&part["toolUseId"], &part["id"]].contains(&call_id));
        assert!(call_id.is_null() || written.contains(&call_id) || inner, "{diagnostic}");
        seen += 1;
    }
    assert!(seen > 10);
}

/// A mark in all content of these transcripts.
const CANARY: &str = "CANARY";

#[test]
fn content_is_never_shown_off_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        r#"{{"model":"gpt-5","instructions":"{CANARY}","input":[
 {{"role":"user","content":"{CANARY}"}},
 {{"type":"reasoning","id":"rs_1","summary":[{{"type":"summary_text","text":"{CANARY}"}}],"encrypted_content":"{CANARY}"}},
 {{"type":"function_call","id":"fc_1","call_id":"call_1","name":"{CANARY}","arguments":"{{\"{CANARY}\":1}}"}},
 {{"role":"assistant","content":[{{"type":"output_text","text":"{CANARY}"}}]}},
 {{"type":"function_call_output","call_id":"call_2","output":"{CANARY}"}},
 {{"type":"function_call","call_id":"call_3","name":"f","arguments":"{CANARY}","status":"in_progress"}},
 {{"type":"function_call_output","call_id":"call_3","output":"a {CANARY}"}},
 {{"type":"function_call_output","call_id":"call_3","output":"b {CANARY}"}}],
 "metadata":{{"x":"{CANARY}","x":"{CANARY}"}}}}"#
    );
    std::fs::write(folder.path().join("h.json"), &text).expect("written");
    std::fs::write(folder.path().join("broken.json"), format!("{{\"input\":[\"{CANARY}\" {CANARY}]}}"))
        .expect("written");
    let forms = replaylint::internals::report::OUTPUTS.iter().map(|(form, _)| *form);
    let checks: Vec<[&str; 5]> = forms.map(|form| ["check", "-v", "--output-format", form, "."]).collect();
    let checks = checks.iter().map(|args| &args[..]);
    for args in checks.chain([
        &["check", "."][..],
        &["check", "-v", "--statistics", "--output-format", "concise", "."],
        &["fix", "."],
        &["fix", "--output-format", "json", "."],
        &["fix", "--output-format", "jsonl", "."],
        &["fix", "--output-format", "sarif", "."],
        &["fix", "--reasoning", "strip", "--orphans", "stub", "."],
        &["fix", "-w", "--force", "."],
    ]) {
        let output = run(folder.path(), args);
        for stream in [&output.stdout, &output.stderr] {
            let printed = String::from_utf8_lossy(stream);
            assert!(!printed.contains(CANARY), "{args:?} prints content:\n{printed}");
        }
        assert!(!output.stdout.is_empty() || args.contains(&"-w"), "{args:?} prints nothing");
    }
    let shown = run(folder.path(), &["check", "--show-content", "h.json.bak"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains(CANARY), "--show-content shows it");
}
