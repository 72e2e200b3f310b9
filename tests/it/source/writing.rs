//! Writing: repaired files, the files beside them, and output through a pipe.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::report::reports::run;

pub const BROKEN: &str = "[\n  {\"role\":\"user\",\"content\":\"a\"},\n  {\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"kept for later\"},\n  {\"role\":\"user\",\"content\":\"b\"}\n]\n";
pub const WHOLE: &str =
    "[\n  {\"role\":\"user\",\"content\":\"a\"},\n  {\"role\":\"user\",\"content\":\"b\"}\n]\n";
/// A log that may still be written, with a result without a call.
pub const LOG: &str = "{\"type\":\"ag2.events.input_events.ModelRequest\",\"data\":{\"content\":\"Go\"}}\n{\"type\":\"ag2.events.tool_events.ToolResultsEvent\",\"data\":{\"results\":[{\"__event__\":\"ag2.events.tool_events.ToolResultEvent\",\"parent_id\":\"call_9\",\"name\":\"f\",\"result\":{}}]}}\n{\"type\":\"ag2.events.input_events.ModelRequest\",\"data\":{\"content\":\"Go\"}}\n";

pub fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("written");
    backdate(&path);
    folder
}

/// Sets the time of a file to a minute ago.
pub fn backdate(path: &Path) {
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(path).expect("open").set_modified(past).expect("set");
}

pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("readable")
}

#[test]
fn a_preview_writes_nothing() {
    let folder = folder_with("h.json", BROKEN);
    for args in [&["fix", "h.json"][..], &["fix", "--patch", "h.json"], &["fix", "--dropped", "d.jsonl", "h.json"]]
    {
        let output = run(folder.path(), args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert_eq!(names(folder.path()), ["h.json"]);
    }
    assert_eq!(read(folder.path(), "h.json"), BROKEN);
}

/// While a store is checked, the messages that are generated from it are placed after its end.
#[test]
fn a_copy_of_a_store_without_a_repair_is_the_store() {
    let store = r#"[{"type":"human","data":{"content":"Hi.","additional_kwargs":{},"type":"human"}}]"#;
    let folder = folder_with("h.json", store);
    let output = run(folder.path(), &["fix", "-o", "copy.json", "h.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(read(folder.path(), "copy.json"), store);
}

#[test]
fn a_repair_saves_a_backup_and_the_dropped_items() {
    let folder = folder_with("h.json", BROKEN);
    let output = run(folder.path(), &["fix", "-w", "--dropped", "dropped.jsonl", "h.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(names(folder.path()), ["dropped.jsonl", "h.json", "h.json.bak", "h.json.bak.journal"]);
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
    assert_eq!(read(folder.path(), "h.json.bak"), BROKEN);
    let dropped = read(folder.path(), "dropped.jsonl");
    let item =
        "\"item\":{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"kept for later\"}}\n";
    assert!(dropped.ends_with(item) && dropped.lines().count() == 1, "{dropped}");
    let entry: serde_json::Value = serde_json::from_str(&dropped).expect("JSON");
    for (key, value) in [("file", "h.json"), ("rule", "RL102"), ("pointer", "/1")] {
        assert_eq!(entry[key], value);
    }
    assert_eq!(
        (entry["record"].as_u64(), entry["line"].as_u64(), entry["column"].as_u64()),
        (Some(1), Some(3), Some(3))
    );
    let (start, end) = (entry["span"]["start"].as_u64(), entry["span"]["end"].as_u64());
    let span = start.zip(end).map(|(start, end)| &BROKEN[start as usize..end as usize]);
    assert_eq!(
        span,
        Some("{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"kept for later\"}")
    );
    assert!(entry["time"].as_str().is_some_and(|time| time.len() == 20 && time.ends_with('Z')), "{entry}");
    // Nothing to fix: nothing is written, and there is no second backup.
    backdate(&folder.path().join("h.json"));
    let output = run(folder.path(), &["fix", "-w", "h.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(names(folder.path()), ["dropped.jsonl", "h.json", "h.json.bak", "h.json.bak.journal"]);
}

#[test]
fn a_log_that_may_be_in_use_is_left_alone() {
    let folder = folder_with("log.jsonl", LOG);
    fs::write(folder.path().join("log.jsonl"), LOG).expect("written");
    let fix = |args: &[&str]| {
        let output = run(folder.path(), &[&["fix", "-w"], args].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let fresh = "log.jsonl: modified in the last 10 seconds and may still be in use; nothing was written (--force overrides)";
    let (code, output_text) = fix(&["log.jsonl"]);
    assert!(code == Some(2) && output_text == format!("replaylint: {fresh}\n"), "{output_text}");
    assert_eq!(read(folder.path(), "log.jsonl"), LOG);
    assert_eq!(names(folder.path()), ["log.jsonl"]);
    // A request is complete when it exists: nobody appends to it.
    fs::write(folder.path().join("h.json"), BROKEN).expect("written");
    assert_eq!(fix(&["--no-backup", "h.json"]).0, Some(0));
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
    // One line reports many files.
    let _ = ["a", "b", "c", "d"]
        .map(|name| fs::write(folder.path().join(format!("{name}.jsonl")), LOG).expect("written"));
    let (code, output_text) = fix(&["a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl", "log.jsonl"]);
    let line = "5 files were modified in the last 10 seconds and may still be in use; nothing was written to them \
                (--force overrides): a.jsonl, b.jsonl, c.jsonl and 2 more";
    assert!(code == Some(2) && output_text == format!("replaylint: {line}\n"), "{output_text}");
    let (code, output_text) = fix(&["--force", "--no-backup", "log.jsonl"]);
    assert_eq!(code, Some(0), "{output_text}");
    assert!(!read(folder.path(), "log.jsonl").contains("call_9"));
}

/// Runs `fix -w` on a terminal with typed input.
#[cfg(target_os = "linux")]
fn at_a_terminal(folder: &Path, args: &[&str], typed: &str) -> Option<(Option<i32>, String)> {
    let command = [&[env!("CARGO_BIN_EXE_replaylint"), "fix", "-w", "--color=never"], args].concat().join(" ");
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(folder).env("TERM", "dumb");
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take().expect("a pipe").write_all(typed.as_bytes()).expect("typed");
    let output = child.wait_with_output().expect("it ends");
    Some((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_is_asked_once_before_something_is_lost() {
    let ask = "Write these repairs, and lossy repairs of other files? [y/N]";
    for (args, typed, questions, code, written) in [
        (&["h.json", "g.json"][..], "n\n", 1, 1, false),
        (&["h.json", "g.json"], "\n", 1, 1, false),
        (&["h.json", "g.json"], "y\n", 1, 0, true),
        (&["--yes", "h.json", "g.json"], "", 0, 0, true),
        (&["--lossless", "h.json", "g.json"], "", 0, 1, false),
    ] {
        let folder = folder_with("h.json", BROKEN);
        fs::write(folder.path().join("g.json"), BROKEN).expect("written");
        let Some((exit, output_text)) = at_a_terminal(folder.path(), args, typed) else {
            println!("skipped: script is not installed");
            return;
        };
        assert_eq!(
            (exit, output_text.matches(ask).count()),
            (Some(code), questions),
            "{args:?} {typed:?}: {output_text}"
        );
        let expected = if written { WHOLE } else { BROKEN };
        for name in ["h.json", "g.json"] {
            assert_eq!(read(folder.path(), name), expected, "{args:?} {typed:?}: {output_text}");
        }
        assert_eq!(names(folder.path()).len(), if written { 6 } else { 2 });
    }
}

#[test]
fn copies_are_written_to_the_requested_path() {
    let folder = folder_with("h.json", BROKEN);
    let output = run(folder.path(), &["fix", "-o", "copy.json", "h.json"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(read(folder.path(), "copy.json"), WHOLE);
    fs::create_dir_all(folder.path().join("logs/a")).expect("made");
    fs::write(folder.path().join("logs/a/x.json"), BROKEN).expect("written");
    fs::write(folder.path().join("logs/y.json"), WHOLE).expect("written");
    let output = run(folder.path(), &["fix", "-o", "out", "logs"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(read(folder.path(), "out/a/x.json"), WHOLE);
    assert_eq!(read(folder.path(), "out/y.json"), WHOLE);
    assert_eq!(read(folder.path(), "logs/a/x.json"), BROKEN);
}

#[test]
fn a_compressed_file_is_copied_and_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("h.json.zst");
    fs::write(&path, zstd::encode_all(BROKEN.as_bytes(), 1).expect("packed")).expect("written");
    backdate(&path);
    let output = run(folder.path(), &["fix", "-w", "h.json.zst"]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(folder.path(), &["fix", "-o", "h.json", "h.json.zst"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
}

fn pipe(args: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_filter_always_prints_a_body() {
    let (code, out, err) = pipe(&["fix"], BROKEN);
    assert_eq!((code, out.as_str()), (Some(0), WHOLE));
    assert!(err.contains("RL102") && err.contains("call_1"), "{err}");
    // A request that cannot be repaired is printed unchanged.
    let (code, out, _) = pipe(&["fix", "-"], "[{\"role\":NaN}]");
    assert_eq!((code, out.as_str()), (Some(1), "[{\"role\":NaN}]"));
    let (code, out, err) = pipe(&["fix", "--output-format", "json"], BROKEN);
    assert_eq!((code, out.as_str()), (Some(0), WHOLE));
    assert!(err.contains("\"action\": \"drop\""), "{err}");
    let (code, out, _) = pipe(&["check", "--stdin-filename", "log.json", "--output-format", "concise"], BROKEN);
    assert_eq!(code, Some(1));
    assert!(out.starts_with("log.json:3:3: error RL102"), "{out}");
}

#[test]
fn a_patch_produces_the_bytes_of_a_repair() {
    let request = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/readme/weather.json"))
        .expect("testdata");
    let one_line = serde_json::from_str::<serde_json::Value>(&request).expect("JSON").to_string();
    let lines = "{\"role\":\"user\",\"content\":\"a\"}\r\n{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"x\"}\r\n{\"role\":\"user\",\"content\":\"b\"}";
    for (n, text) in [BROKEN, &request, &one_line, lines].into_iter().enumerate() {
        for extra in [&[][..], &["--orphans", "stub"]] {
            let folder = folder_with("a file.json", text);
            let patch = run(folder.path(), &[&["fix", "--patch", "a file.json"], extra].concat());
            let copied = run(folder.path(), &[&["fix", "-o", "copy", "a file.json"], extra].concat());
            assert_eq!(copied.status.code(), Some(0), "{n}");
            fs::write(folder.path().join("p"), &patch.stdout).expect("written");
            let git =
                Command::new("git").args(["apply", "p"]).current_dir(folder.path()).output().expect("git runs");
            assert!(
                git.status.success(),
                "{n}: {}\n{}",
                String::from_utf8_lossy(&git.stderr),
                String::from_utf8_lossy(&patch.stdout)
            );
            assert_eq!(read(folder.path(), "a file.json"), read(folder.path(), "copy"), "{n}");
        }
    }
}

#[test]
fn the_diff_of_a_long_line_is_short() {
    let filler: String =
        (0..40_000).map(|n| format!("{{\"role\":\"user\",\"content\":\"{n} {}\"}},", "x".repeat(90))).collect();
    let text = format!(
        "{{\"model\":\"gpt-5\",\"input\":[{filler}{{\"type\":\"function_call\",\"id\":\"fc_1a\",\"call_id\":\"call_1\",\"name\":\"f\",\"arguments\":\"{}\"}},{{\"role\":\"user\",\"content\":\"end\"}}]}}",
        "y".repeat(1000)
    );
    assert!(text.len() > 4_500_000 && !text.contains('\n'));
    let folder = folder_with("body.json", &text);
    let output = run(folder.path(), &["fix", "--show-content", "body.json"]);
    let diff = String::from_utf8_lossy(&output.stdout);
    assert!(diff.lines().count() < 40, "{diff}");
    for part in ["RL101", "/input/40000", "call_1", "has no output"] {
        assert!(diff.contains(part), "{part} is not in {diff}");
    }
    assert!(diff.len() < 4000, "{} bytes", diff.len());
    let check = run(folder.path(), &["check", "--show-content", "body.json"]);
    assert!(check.stdout.len() < 4000);
}

#[test]
fn a_large_document_is_read_element_by_element() {
    // Above 8 MiB: the same findings, pointers and repairs as in a small one, with settings that come last.
    let items = |filler: usize| {
        let mut items =
            vec![serde_json::json!({"type": "function_call_output", "call_id": "call_0", "output": "lost"})];
        for n in 0..filler {
            items.push(serde_json::json!({"role": "user", "content": format!("{n} {}", "x".repeat(1000))}));
        }
        items.push(serde_json::json!({"type": "reasoning", "id": "rs_1a", "summary": []}));
        items.push(serde_json::json!({"type": "function_call", "id": "fc_1a", "call_id": "call_1", "name": "f", "arguments": "{}"}));
        items.push(serde_json::json!({"type": "function_call_output", "call_id": "call_1", "output": "ok"}));
        items.push(
            serde_json::json!({"type": "function_call", "call_id": "call_2", "name": "f", "arguments": "{}"}),
        );
        items
    };
    let body = |filler: usize, pretty: bool| {
        let body = serde_json::json!({"tools": [], "input": items(filler), "model": "gpt-5", "store": false});
        if pretty { serde_json::to_string_pretty(&body) } else { serde_json::to_string(&body) }.expect("JSON")
    };
    for pretty in [false, true] {
        let folder = folder_with("large.json", &body(9000, pretty));
        fs::write(folder.path().join("small.json"), body(3, pretty)).expect("written");
        assert!(fs::metadata(folder.path().join("large.json")).expect("there").len() > 8 << 20);
        let report = |name: &str| {
            let output = run(folder.path(), &["check", "--output-format", "json", name]);
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let finding = |d: &serde_json::Value| {
                let pointer = d["pointer"].as_str().expect("a pointer").replace("/input/", "");
                (
                    d["rule"].to_string(),
                    pointer.parse::<usize>().expect("an index"),
                    d["id"].clone(),
                    d["severity"].clone(),
                )
            };
            report["diagnostics"].as_array().expect("a list").iter().map(finding).collect::<Vec<_>>()
        };
        let shifted: Vec<_> = report("small.json")
            .into_iter()
            .map(|(rule, index, id, severity)| (rule, if index > 0 { index + 8997 } else { 0 }, id, severity))
            .collect();
        assert_eq!(report("large.json"), shifted);
        assert_eq!(shifted.len(), 3);
        for name in ["large.json", "small.json"] {
            let output = run(folder.path(), &["fix", "--force", "--orphans", "drop", "-o", "out.json", name]);
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
            let before: serde_json::Value = serde_json::from_str(&read(folder.path(), name)).expect("JSON");
            let mut expected = before["input"].as_array().expect("a list").clone();
            expected.pop();
            expected.remove(0);
            let reasoning = expected.len() - 3;
            expected.remove(reasoning);
            expected[reasoning].as_object_mut().expect("an object").shift_remove("id");
            let after: serde_json::Value = serde_json::from_str(&read(folder.path(), "out.json")).expect("JSON");
            assert_eq!(after["input"].as_array().expect("a list"), &expected, "{name}");
            assert_eq!(after["store"], before["store"]);
        }
    }
}

#[test]
fn overlong_texts_and_members_of_the_request_are_repaired_in_a_large_document() {
    // The text makes the document a large one; the removed member is after its list.
    let body = |characters: usize| {
        serde_json::json!({"model": "gpt-5", "conversation": "conv_1", "input": [
            {"type": "function_call_output", "call_id": "call_1", "output": "é".repeat(characters)},
            {"role": "user", "content": null},
        ], "previous_response_id": "resp_1"})
    };
    for (characters, rules) in
        [(10_485_760, vec!["RL407", "RL308"]), (10_485_761, vec!["RL415", "RL407", "RL308"])]
    {
        let folder = folder_with("large.json", &body(characters).to_string());
        let output = run(folder.path(), &["check", "--output-format", "json", "large.json"]);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let found = report["diagnostics"].as_array().expect("a list").iter().map(|d| d["rule"].as_str());
        assert_eq!(found.flatten().collect::<Vec<_>>(), rules);
        let output = run(folder.path(), &["fix", "-o", "out.json", "large.json"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
        let after: serde_json::Value = serde_json::from_str(&read(folder.path(), "out.json")).expect("JSON");
        let text = after["input"][0]["output"].as_str().expect("a text");
        let left = text.strip_suffix("\n[101 characters were left out]");
        assert_eq!(left.is_some(), characters > 10_485_760);
        assert_eq!(
            left.unwrap_or(text).chars().count(),
            characters.min(10_485_660 + 100 * usize::from(left.is_none()))
        );
        assert_eq!(after["input"][1]["content"], "");
        assert!(after.get("previous_response_id").is_none() && after["conversation"] == "conv_1");
    }
}

fn log() -> String {
    String::from_utf8(crate::logs::requests(8, 1)).expect("UTF-8")
}

#[test]
fn slimming_keeps_a_backup_and_is_undone() {
    let full = log();
    let folder = folder_with("log.jsonl", &full);
    let output = run(folder.path(), &["slim", "log.jsonl"]);
    assert_eq!((output.status.code(), names(folder.path())), (Some(0), vec!["log.jsonl".to_owned()]));
    assert_eq!(read(folder.path(), "log.jsonl"), full);
    assert_eq!(run(folder.path(), &["slim", "-w", "log.jsonl"]).status.code(), Some(0));
    let slim = read(folder.path(), "log.jsonl");
    assert!(slim.len() * 2 < full.len() && read(folder.path(), "log.jsonl.bak") == full);
    // A second time nothing changes, so nothing is written.
    backdate(&folder.path().join("log.jsonl"));
    assert_eq!(run(folder.path(), &["slim", "-w", "log.jsonl"]).status.code(), Some(0));
    assert_eq!(names(folder.path()), ["log.jsonl", "log.jsonl.bak", "log.jsonl.bak.journal"]);
    // The log grows, and is slimmed again.
    let more = format!("{slim}{}", full.lines().last().expect("a line"));
    fs::write(folder.path().join("log.jsonl"), &more).expect("written");
    assert_eq!(run(folder.path(), &["slim", "-w", "log.jsonl"]).status.code(), Some(2), "it may be in use");
    assert_eq!(run(folder.path(), &["slim", "-w", "--force", "log.jsonl"]).status.code(), Some(0));
    assert!(read(folder.path(), "log.jsonl").len() < more.len());
    let output = run(folder.path(), &["slim", "--restore", "-o", "full.jsonl", "log.jsonl"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(read(folder.path(), "full.jsonl"), full.clone() + full.lines().last().expect("a line"));
}

#[test]
fn slimming_is_a_filter_too() {
    let full = log();
    let (code, slim, err) = pipe(&["slim"], &full);
    assert!(code == Some(0) && slim.len() * 2 < full.len() && err.contains("bytes become"), "{err}");
    let (code, back, _) = pipe(&["slim", "--restore"], &slim);
    assert_eq!((code, back), (Some(0), full));
    // A log that cannot be slimmed is printed unchanged.
    let broken =
        "{\"input\":[{\"replaylint_ref\":{\"v\":9}},{\"role\":\"user\",\"content\":\"x\"}]}\n{\"input\":[]}\n";
    for text in [BROKEN, broken, "{\"a\":\n", ""] {
        assert_eq!(pipe(&["slim", "-q"], text).1, text);
    }
}
