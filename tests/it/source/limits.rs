//! Limits: values that are too large are skipped and reported, and all others keep their numbers.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    let output = command.args(args).arg("--isolated").current_dir(folder);
    let output = output.env_remove("REPLAYLINT_OUTPUT_FORMAT").output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn user_message(text: &str) -> String {
    json!({"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}).to_string()
}

/// A request with an error.
fn invalid_request() -> String {
    let output = json!({"role": "tool", "tool_call_id": "call_1", "content": "an output of nothing"});
    json!({"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}, output]}).to_string()
}

/// Rule, line and record of each diagnostic.
fn run_check(folder: &Path, limit: &str, file: &str) -> Vec<(String, u64, u64)> {
    let args = ["check", "--output-format", "json", "--max-record-size", limit, file];
    let (_, out, err) = run(folder, &args);
    let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let list = report["diagnostics"].as_array().expect("a list").clone();
    let number = |one: &Value, key: &str| one[key].as_u64().unwrap_or_default();
    let row = |one: &Value| {
        let line = one["span"]["start"]["line"].as_u64().or(one["line"].as_u64()).unwrap_or_default();
        (one["rule"].as_str().or(one["code"].as_str()).unwrap_or_default().to_owned(), line, number(one, "record"))
    };
    list.iter().map(row).collect()
}

/// A line of 1.2 GB, in a sparse file, is longer than a record may be by default.
#[cfg(target_os = "linux")]
#[test]
fn skipped_records_are_not_kept_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = fs::File::create(folder.path().join("log.jsonl")).expect("created");
    writeln!(file, "{}", user_message("hi")).expect("written");
    file.set_len(1_200_000_000).expect("a hole");
    file.seek(SeekFrom::End(0)).expect("it has an end");
    writeln!(file, "\n{}", invalid_request()).expect("written");
    for (command, expected) in [("check", "log.jsonl:3:"), ("fix", "log.jsonl:3:"), ("tree", "#3")] {
        let mut shell = Command::new("sh");
        let limited = shell.arg("-c").arg("ulimit -v 700000 && exec \"$@\"").arg("sh");
        let args = [env!("CARGO_BIN_EXE_replaylint"), command, "--isolated", "log.jsonl"];
        let output = limited.args(args).current_dir(folder.path()).output().expect("it runs");
        let out = String::from_utf8_lossy(&output.stdout);
        assert!(out.contains(expected), "{command}: {out} {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn records_over_the_limit_are_skipped_and_the_rest_keeps_its_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    // Limits shorter than a chunk of the reader, as long as several, and one that allows the record.
    for (limit, long) in [("1k", 5 << 10), ("64k", 700 << 10), ("1M", 9 << 20)] {
        let mut text = String::new();
        for line in [
            invalid_request(),
            user_message(&"x".repeat(long)),
            user_message("hi"),
            invalid_request(),
            user_message(&"y".repeat(long)),
            invalid_request(),
        ] {
            text.push_str(&line);
            text.push('\n');
        }
        fs::write(folder.path().join("log.jsonl"), &text).expect("written");
        let found = run_check(folder.path(), limit, "log.jsonl");
        let places: Vec<(&str, u64, u64)> = found.iter().map(|(code, line, n)| (&code[..], *line, *n)).collect();
        assert_eq!(
            places,
            [("RL502", 1, 1), ("RL001", 2, 2), ("RL502", 4, 4), ("RL001", 5, 5), ("RL502", 6, 6)],
            "{limit}"
        );
    }
}

#[test]
fn a_document_over_the_limit_is_read_by_its_messages() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("one.json"), invalid_request()).expect("written");
    let some = run_check(folder.path(), "130", "one.json");
    assert_eq!(some.iter().map(|one| &one.0[..]).collect::<Vec<_>>(), ["RL502"]);
    let none = run_check(folder.path(), "20", "one.json");
    assert_eq!(none.iter().map(|one| &one.0[..]).collect::<Vec<_>>(), ["RL001"]);
}

#[test]
fn slim_and_rebuild_skip_long_records_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let event = |offset: u64, text: &str| {
        json!({"type": "events.iterate.com/agent/input-added", "payload": {"content": text}, "offset": offset})
            .to_string()
    };
    let text = [event(1, "one"), event(2, &"x".repeat(5000)), event(3, "three")].join("\n") + "\n";
    fs::write(folder.path().join("log.jsonl"), text).expect("written");
    let (code, out, err) = run(folder.path(), &["rebuild", "--max-record-size", "1k", "log.jsonl"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("three") && !out.contains("xxx"), "{out}");
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(text).expect("memory");
    packed.finish().expect("memory")
}

#[test]
fn decompression_stops_at_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = user_message(&"x".repeat(100 << 10));
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("written");
    write("a.json.gz", &gzip(text.as_bytes()));
    write("b.json.zst", &zstd::encode_all(text.as_bytes(), 3).expect("memory"));
    write("d.json", user_message("hi").as_bytes());
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("s.json", zip::write::SimpleFileOptions::default()).expect("memory");
    zip.write_all(text.as_bytes()).expect("memory");
    write("c.zip", &zip.finish().expect("memory").into_inner());
    let (code, out, err) = run(
        folder.path(),
        &["check", "--max-decompressed-size", "64k", "a.json.gz", "b.json.zst", "c.zip", "d.json"],
    );
    assert_eq!(code, Some(2), "{err}");
    for name in ["a.json.gz: ", "b.json.zst: ", "c.zip: s.json: "] {
        let limit = "decompresses to more than --max-decompressed-size (65536 bytes)";
        assert!(err.lines().any(|line| line.contains(name) && line.contains(limit)), "{name}: {err}");
    }
    assert!(out.contains("1 file"), "the file that is not compressed is read: {out}");
    let (code, out, err) = run(folder.path(), &["check", "--max-decompressed-size", "1M", "."]);
    assert_eq!((code, &*err), (Some(0), ""), "{out}");
}

#[test]
fn an_extreme_compression_ratio_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = |text: &str| zstd::encode_all(text.as_bytes(), 19).expect("memory");
    fs::write(folder.path().join("odd.json.zst"), packed(&user_message(&"x".repeat(4 << 20)))).expect("written");
    let (code, _, err) = run(folder.path(), &["check", "odd.json.zst"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("odd.json.zst: warning: unpacks to 4,194,") && err.contains("times its size"), "{err}");
    let (code, _, err) = run(folder.path(), &["check", "-q", "odd.json.zst"]);
    assert_eq!((code, &*err), (Some(0), ""));
}
