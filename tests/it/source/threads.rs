//! The number of threads changes only the time: commands print and write the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::rules::corpus::corpus;

/// The results of a run: both streams, the exit code, and the written files.
#[derive(PartialEq, Eq)]
struct RunOutput {
    out: Vec<u8>,
    err: Vec<u8>,
    code: Option<i32>,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

const THREADS: [&str; 2] = ["-j1", "-j3"];

/// The commands to run over a folder, and whether each writes, to a folder of its own.
const RUNS: [(&[&str], bool); 4] = [
    (&["check", "--all-branches", "-v"], false),
    (&["check", "--output-format", "json"], false),
    (&["fix"], false),
    (&["convert", "--to", "chat"], true),
];

fn files(root: &Path, folder: &Path, out: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        match path.is_dir() {
            true => files(root, &path, out),
            false => {
                let name = path.strip_prefix(root).expect("below").to_owned();
                out.insert(name, fs::read(&path).expect("readable"));
            }
        }
    }
}

fn run(folder: &Path, args: &[&str], threads: &str, writes: bool) -> RunOutput {
    let to = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(args).args(["--isolated", threads, "."]).current_dir(folder);
    if writes {
        command.arg("-o").arg(to.path());
    }
    let output = command.env_remove("REPLAYLINT_OUTPUT_FORMAT").output().expect("it runs");
    let own = to.path().to_string_lossy().into_owned();
    // The folder's name differs from run to run, and so may the number of spaces after it.
    let err = String::from_utf8_lossy(&output.stderr).replace(&own, "OUT").into_bytes();
    let out = String::from_utf8_lossy(&output.stdout).replace(&own, "OUT").into_bytes();
    let mut made = BTreeMap::new();
    files(to.path(), to.path(), &mut made);
    RunOutput { out, err, code: output.status.code(), files: made }
}

fn first_difference(a: &[u8], b: &[u8]) -> String {
    let lines = |text: &[u8]| String::from_utf8_lossy(text).lines().map(str::to_owned).collect::<Vec<_>>();
    let (a, b) = (lines(a), lines(b));
    let at = a.iter().zip(&b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    format!("line {}: {:?} and {:?}", at + 1, a.get(at), b.get(at))
}

/// Asserts that all commands give the same result over a folder with each number of threads. Returns the sizes of outputs.
fn assert_same_output(folder: &Path) -> Vec<usize> {
    let mut sizes = Vec::new();
    for (args, writes) in RUNS {
        let one = run(folder, args, THREADS[0], writes);
        assert!(
            one.code.is_some_and(|code| code < 2) || writes,
            "{args:?}: {}",
            String::from_utf8_lossy(&one.err)
        );
        for threads in &THREADS[1..] {
            let other = run(folder, args, threads, writes);
            assert!(one.out == other.out, "{args:?} {threads}: {}", first_difference(&one.out, &other.out));
            assert!(one.err == other.err, "{args:?} {threads}: {}", first_difference(&one.err, &other.err));
            assert!(one == other, "{args:?} {threads}: exit code or files differ");
        }
        sizes.push(one.out.len() + one.files.values().map(Vec::len).sum::<usize>());
    }
    sizes
}

/// A log of several chunks, with faults in all of them.
fn long_log() -> String {
    let mut text = String::new();
    for n in 0..6000 {
        let body = "x".repeat(1000);
        let lines = [
            json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": body}]}),
            json!({"type": "function_call", "call_id": format!("call_{n}"), "name": "f", "arguments": "{}"}),
            json!({"type": "function_call_output", "call_id": format!("call_{}", n + n % 50 / 49), "output": "ok"}),
        ];
        for line in lines {
            text.push_str(&format!("{line}\n"));
        }
        if n % 1000 == 500 {
            text.push_str("{\"type\": \"message\", \"role\"\n");
        }
    }
    text
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("long.jsonl"), long_log()).expect("written");
    let sizes = assert_same_output(folder.path());
    assert!(sizes.iter().all(|size| *size > 0), "each prints or writes something: {sizes:?}");
}

#[test]
fn formats_are_the_same_on_any_number_of_threads() {
    let sizes = assert_same_output(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats"));
    assert!(sizes.iter().all(|size| *size > 1000), "each prints or writes something: {sizes:?}");
}

#[test]
fn corpus_files_are_the_same_on_any_number_of_threads() {
    let Some(root) = corpus() else { return };
    let sizes = assert_same_output(&root);
    assert!(sizes.iter().all(|size| *size > 1000), "each prints or writes something: {sizes:?}");
}
