//! Peak memory of a run, as the system counts it. The text that is converted or reported is larger than the limit, so a run
//! that kept it in memory once would fail.

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// Size of each file in bytes.
const SIZE: usize = 72 << 20;
/// Maximum memory of a run in bytes, besides the pages of the program itself.
const MAX_PEAK: u64 = 56 << 20;

/// About 20 kB of text, different for each number.
fn text(n: usize) -> String {
    let mut text = String::new();
    for word in 0..1000 {
        let _ = write!(text, "{n} {word} the same again\\n");
    }
    text
}

/// A file of turns, up to `SIZE` bytes.
fn file(head: &str, turn: &dyn Fn(usize) -> String, tail: &str) -> String {
    let mut all = head.to_owned();
    let mut n = 0;
    while all.len() < SIZE {
        n += 1;
        all.push_str(&turn(n));
    }
    all + tail
}

fn rollout() -> String {
    let line = |payload: &str| {
        format!(
            "{{\"timestamp\":\"2026-01-01T00:00:02.345Z\",\"type\":\"response_item\",\"payload\":{payload}}}\n"
        )
    };
    let turn = |n: usize| {
        let user = line(&format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{}"}}]}}"#,
            text(n)
        ));
        let call =
            line(&format!(r#"{{"type":"function_call","name":"shell","arguments":"{{}}","call_id":"call_{n}"}}"#));
        let output =
            line(&format!(r#"{{"type":"function_call_output","call_id":"call_{n}","output":"{}"}}"#, text(n + 1)));
        user + &call + &output
    };
    let meta = r#"{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w","model_provider":"openai","cli_version":"0.146.0"}}"#;
    file(&format!("{meta}\n"), &turn, "")
}

fn anthropic() -> String {
    let turn = |n: usize| {
        let call = format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{}"}},{{"type":"tool_use","id":"toolu_{n}","name":"shell","input":{{}}}}]}},"#,
            text(n)
        );
        let result = format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{n}","content":"{}"}}]}},"#,
            text(n + 1)
        );
        call + &result
    };
    let head = r#"{"model":"claude-opus-5","max_tokens":100,"tools":[{"name":"shell","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"begin"},"#;
    file(head, &turn, r#"{"role":"user","content":"go on"}]}"#)
}

fn session() -> String {
    let turn = |n: usize| {
        let line = |kind: &str, before: String, own: String, message: String| {
            format!(
                "{{\"parentUuid\":{before},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/w\",\"sessionId\":\"s1\",\"version\":\"2.0.1\",\"type\":\"{kind}\",\"message\":{message},\"uuid\":{own},\"timestamp\":\"2026-01-01T00:00:00.000Z\"}}\n"
            )
        };
        let before = if n == 1 { "null".to_owned() } else { format!("\"a{}\"", n - 1) };
        let user = format!(r#"{{"role":"user","content":"{}"}}"#, text(n));
        let answer = format!(
            r#"{{"id":"msg_{n}","type":"message","role":"assistant","model":"claude-opus-5","content":[{{"type":"text","text":"{}"}}],"stop_reason":"end_turn"}}"#,
            text(n + 1)
        );
        line("user", before, format!("\"u{n}\""), user)
            + &line("assistant", format!("\"u{n}\""), format!("\"a{n}\""), answer)
    };
    file("", &turn, "")
}

/// The peak memory of a run, and the bytes that it writes. It writes at the end, and more than a pipe buffers: when the
/// last bytes are read, all else is done.
fn peak(folder: &Path, args: &[&str]) -> (u64, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(args).args(["--isolated", "-q", "-j", "1"]).current_dir(folder);
    let errors = tempfile::NamedTempFile::new().expect("a file");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors.reopen().expect("the same file"));
    let mut child = command.spawn().expect("it runs");
    let mut out = child.stdout.take().expect("a pipe");
    let status = format!("/proc/{}/status", child.id());
    let kilobytes = |status: &str, name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
    };
    let (mut most, mut written, mut buf) = (0, 0, vec![0; 1 << 20]);
    loop {
        let n = out.read(&mut buf).expect("a pipe");
        written += n as u64;
        if n == 0 {
            break;
        }
        let text = fs::read_to_string(&status).unwrap_or_default();
        if let (Some(peak), Some(program)) = (kilobytes(&text, "VmHWM:"), kilobytes(&text, "RssFile:")) {
            most = most.max(peak.saturating_sub(program) << 10);
        }
    }
    let status = child.wait().expect("it ends");
    assert!(status.success(), "{args:?}: {status}: {}", fs::read_to_string(errors.path()).expect("text"));
    (most, written)
}

#[test]
fn conversions_need_less_memory_than_their_text() {
    let texts: [fn() -> String; 3] = [rollout, anthropic, session];
    for (name, text) in ["rollout.jsonl", "anthropic.json", "session.jsonl"].into_iter().zip(texts) {
        // One file at a time: a run spools as much as it reads to the disk, which may be small.
        let (folder, text) = (tempfile::tempdir().expect("a folder"), text());
        fs::write(folder.path().join(name), &text).expect("written");
        for to in ["chat", "anthropic", "responses"] {
            let (most, written) = peak(folder.path(), &["convert", "--to", to, name]);
            assert!(written > text.len() as u64 / 2, "{name} to {to}: {written} bytes");
            assert!((1 << 20..MAX_PEAK).contains(&most), "{name} to {to}: {most} bytes of memory");
        }
    }
}

/// Outputs without their calls.
fn orphans(count: usize) -> String {
    let mut text =
        "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"go\"}]}\n"
            .to_owned();
    for n in 0..count {
        let _ = writeln!(text, r#"{{"type":"function_call_output","call_id":"call_{n}","output":"x"}}"#);
    }
    text
}

#[test]
fn a_report_of_many_files_is_not_kept_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    for n in 0..28 {
        fs::write(folder.path().join(format!("{n}.jsonl")), orphans(4000)).expect("written");
    }
    let (most, written) = peak(folder.path(), &["check", "--output-format", "json", "--exit-zero", "."]);
    assert!(written > SIZE as u64, "{written} bytes");
    assert!((1 << 20..MAX_PEAK).contains(&most), "{most} bytes of memory");
}
