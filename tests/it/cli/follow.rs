//! `check --follow`: a log that is being written is read again and again, and each finding is reported once.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The longest time until a finding is reported, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time without output after which none is expected.
const SILENCE: Duration = Duration::from_millis(1500);

struct FollowProcess {
    child: Child,
    lines: Receiver<String>,
}

impl FollowProcess {
    fn start(folder: &Path, args: &[&str]) -> FollowProcess {
        let mut child = Command::new(env!("CARGO_BIN_EXE_replaylint"))
            .args(["check", "--follow", "--output-format", "concise"])
            .args(args)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it runs");
        let (to, lines) = channel();
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| to.send(line)));
        FollowProcess { child, lines }
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(SILENCE).is_err()
    }

    /// Interrupts the process. Returns the exit code and the last line.
    fn end(mut self) -> (Option<i32>, String) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a signal");
        let code = self.child.wait().expect("an end").code();
        (code, self.lines.iter().collect::<Vec<_>>().join("\n"))
    }
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#) + "\n"
}

fn output(id: &str) -> String {
    format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"x"}}"#) + "\n"
}

const USER: &str = "{\"type\":\"message\",\"role\":\"user\",\"content\":\"go\"}\n";

fn append(path: &Path, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path).expect("a file");
    file.write_all(text.as_bytes()).expect("written");
}

#[test]
fn each_finding_is_reported_once_while_the_log_is_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log.jsonl");
    append(&log, &(USER.to_owned() + &output("call_lost") + USER));
    let following = FollowProcess::start(dir.path(), &["."]);
    let first = following.next();
    assert!(first.starts_with("./log.jsonl:2:1: error RL102") && first.contains("call_lost"), "{first}");
    // A call without an output at the end is pending, and so is an incomplete line.
    append(&log, &call("call_open"));
    let (half, rest) = USER.split_at(20);
    append(&log, half);
    assert!(following.is_silent());
    // The next turn begins without an output.
    append(&log, rest);
    append(&log, USER);
    let second = following.next();
    assert!(second.contains("RL101") && second.contains("call_open"), "{second}");
    append(&log, USER);
    assert!(following.is_silent(), "no finding is reported twice");
    // The log is replaced by another one.
    fs::write(&log, USER.to_owned() + &output("call_new") + USER).expect("written");
    let third = following.next();
    assert!(third.contains("RL102") && third.contains("call_new"), "{third}");
    // A file that appears later is followed, too.
    append(&dir.path().join("more.jsonl"), &(USER.to_owned() + &output("call_more") + USER));
    let fourth = following.next();
    assert!(fourth.starts_with("./more.jsonl:2:1: error RL102"), "{fourth}");
    let (code, last) = following.end();
    assert_eq!(code, Some(1));
    assert!(last.contains("\nFound 4 errors"), "{last}");
}

#[test]
fn a_log_without_errors_exits_with_zero() {
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log.jsonl");
    let following = FollowProcess::start(dir.path(), &["log.jsonl"]);
    // The file does not exist yet.
    assert!(following.is_silent());
    append(&log, &(USER.to_owned() + &call("call_1")));
    assert!(following.is_silent());
    append(&log, &(output("call_1") + USER));
    assert!(following.is_silent());
    let (code, last) = following.end();
    assert_eq!((code, last.contains("No problems found in 1 conversation")), (Some(0), true), "{last}");
}

#[test]
fn follow_needs_files_and_a_report_without_an_end() {
    let dir = tempfile::tempdir().expect("a folder");
    for args in [&["--output-format", "sarif", "."][..], &["--output-format", "concise=x.txt", "."], &["-"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_replaylint"))
            .args(["check", "--follow"])
            .args(args)
            .current_dir(dir.path())
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--follow"), "{args:?}");
    }
}
