//! `docs/recipes.md`: each script is run as it is shown, in a folder that has what it reads. A script that needs a program
//! that is not installed is skipped, and a line says so.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scripts below a heading of the page.
fn scripts(heading: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/recipes.md")).expect("a page");
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("a heading");
    let blocks = section.split("```sh\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("an end").to_owned()).collect()
}

/// True if these programs are installed.
fn are_installed(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| {
        let found =
            Command::new("sh").args(["-c", &format!("command -v {program}")]).stdout(Stdio::null()).status();
        !found.is_ok_and(|status| status.success())
    });
    if let Some(missing) = missing {
        println!("no {missing} found: a recipe was not run");
    }
    missing.is_none()
}

fn shell(script: &str, folder: &Path) -> Command {
    let bin = Path::new(env!("CARGO_BIN_EXE_replaylint")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path)));
    let mut command = Command::new("sh");
    command.args(["-euc", script]).current_dir(folder).env("PATH", path.expect("a path")).env("HOME", folder);
    command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1").env_remove("REPLAYLINT_OUTPUT_FORMAT");
    command
}

/// Standard output, standard error and exit code of a script.
fn run(script: &str, folder: &Path) -> (String, String, i32) {
    let done = shell(script, folder).stdin(Stdio::null()).output().expect("a shell");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(done.stdout), text(done.stderr), done.status.code().expect("an exit code"))
}

fn call(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "weather", "arguments": "{}"})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// A request that the API rejects: its call has no output.
fn broken_request() -> Value {
    json!({"model": "gpt-5", "input": [user("Rome?"), call("call_1"), user("Oslo?")]})
}

fn intact_request() -> Value {
    json!({"model": "gpt-5", "input": [user("Rome?"), user("Oslo?")]})
}

/// A folder with transcripts: two broken ones, one of them with a space in its name, and an intact one.
fn transcripts() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("transcripts");
    fs::create_dir(&inside).expect("a folder");
    for (name, text) in
        [("a.jsonl", broken_request()), ("b c.jsonl", broken_request()), ("d.jsonl", intact_request())]
    {
        fs::write(inside.join(name), format!("{text}\n")).expect("a file");
    }
    folder
}

#[test]
fn jq_before_and_after() {
    let scripts = scripts("jq before and after");
    let [pointer, picked, counted, named, between] = &scripts[..] else { panic!("{} scripts", scripts.len()) };
    if !are_installed(&["jq"]) {
        return;
    }
    let folder = transcripts();
    let log = [(200, intact_request()), (400, broken_request()), (200, intact_request())];
    let lines =
        log.map(|(status, request)| json!({"status": status, "payload": {"request": request}}).to_string());
    fs::write(folder.path().join("gateway.jsonl"), lines.join("\n") + "\n").expect("a file");
    let (out, _, code) = run(pointer, folder.path());
    assert!(code == 1 && out.contains("gateway.jsonl:2:"), "{out}");
    let (out, _, code) = run(picked, folder.path());
    assert!(code == 1 && out.contains("gateway.jsonl:1:") && out.contains("1 conversation"), "{out}");
    let (out, _, code) = run(counted, folder.path());
    assert_eq!((out.trim(), code), ("2 RL101", 0));
    let (out, _, code) = run(named, folder.path());
    assert_eq!((out.as_str(), code), ("transcripts/a.jsonl\ntranscripts/b c.jsonl\n", 0));
    let tool = json!({"role": "tool", "tool_call_id": "call_1", "content": "22"});
    fs::write(folder.path().join("chat.json"), json!({"messages": [user("Rome?"), tool]}).to_string())
        .expect("a file");
    let (_, err, code) = run(between, folder.path());
    assert_eq!(code, 0, "{err}");
    let request = fs::read(folder.path().join("request.json")).expect("a request");
    let request: Value = serde_json::from_slice(&request).expect("JSON");
    assert_eq!(request, json!({"model": "gpt-5", "messages": [user("Rome?")]}));
}

#[test]
fn find_and_xargs() {
    let scripts = scripts("find and xargs");
    let [listed, nul] = &scripts[..] else { panic!("{} scripts", scripts.len()) };
    if !are_installed(&["find", "xargs"]) {
        return;
    }
    let folder = transcripts();
    for (script, code) in [(listed, 1), (nul, 123)] {
        let (out, err, exit) = run(script, folder.path());
        assert_eq!(exit, code, "{err}");
        let mut lines: Vec<&str> = out.lines().filter_map(|line| line.split(':').next()).collect();
        lines.sort_unstable();
        assert_eq!(lines, ["transcripts/a.jsonl", "transcripts/b c.jsonl"]);
    }
}

#[test]
fn gnu_parallel() {
    let [script] = &scripts("GNU parallel")[..] else { panic!("one script") };
    if !are_installed(&["parallel"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // Small blocks, so that there are several.
    let lines: Vec<String> =
        (0..2_000).map(|n| if n % 7 == 0 { broken_request() } else { intact_request() }.to_string()).collect();
    fs::write(folder.path().join("requests.jsonl"), lines.join("\n") + "\n").expect("a file");
    let (_, err, code) = run(&script.replace("64M", "64k"), folder.path());
    assert_eq!(code, 0, "{err}");
    let repaired = fs::read_to_string(folder.path().join("repaired.jsonl")).expect("a file");
    assert_eq!(repaired.lines().count(), lines.len());
    let same = |line: &str| serde_json::from_str::<Value>(line).expect("JSON") == intact_request();
    assert!(repaired.lines().all(same));
}

/// A server that is killed at the end of the test.
struct ScriptServer {
    child: Child,
    url: String,
}

impl Drop for ScriptServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve() -> ScriptServer {
    let [script] = &scripts("A mock server")[..] else { panic!("one script") };
    // Any port that is free, and the process of the script itself, so that it can be ended.
    let script = format!("exec {}", script.replace("8000", "0"));
    let mut child = shell(&script, root()).stdout(Stdio::piped()).spawn().expect("a server");
    let mut url = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut url).expect("an address");
    ScriptServer { child, url: url.trim().to_owned() }
}

#[test]
fn a_guard_and_a_mock_server() {
    let [guard] = &scripts("A guard before each request")[..] else { panic!("one script") };
    if !are_installed(&["curl", "python3"]) {
        return;
    }
    let server = serve();
    let folder = tempfile::tempdir().expect("a folder");
    let set_up = format!("OPENAI_BASE_URL='{}' OPENAI_API_KEY=none\n", server.url);
    let request = folder.path().join("request.json");
    fs::write(&request, broken_request().to_string()).expect("a file");

    let bare = format!("{set_up}curl --silent --json @request.json \"$OPENAI_BASE_URL/responses\"");
    let (out, _, _) = run(&bare, folder.path());
    assert!(out.contains("No tool output found for function call call_1."), "{out}");

    let guarded = format!("{set_up}{guard}");
    let (out, err, code) = run(&guarded, folder.path());
    assert_eq!((out.as_str(), code), ("{\"ok\": true}", 0), "{err}");
    let log = fs::read_to_string(folder.path().join("send.log")).expect("a log");
    assert!(log.contains("RL101") && !log.contains("Rome"), "{log}");

    // A request that cannot be repaired is not sent.
    fs::write(&request, "{\"model\": \"gpt-5\", \"input\": [").expect("a file");
    let (out, err, code) = run(&guarded, folder.path());
    assert!(out.is_empty() && code != 0 && err.contains("not sent, see send.log: request.json"), "{out}{err}");
}

#[test]
fn a_nightly_sweep() {
    let [script] = &scripts("A nightly sweep")[..] else { panic!("one script") };
    if !are_installed(&["find"]) {
        return;
    }
    let folder = transcripts();
    let bucket = folder.path().join("transcripts");
    // A result without its call is removed, and saved.
    let output = json!({"type": "function_call_output", "call_id": "gone", "output": "x"});
    let broken =
        json!({"model": "gpt-5", "input": [user("Rome?"), call("call_1"), user("Oslo?"), output, user("Bonn?")]});
    for name in ["a.jsonl", "b c.jsonl"] {
        fs::write(bucket.join(name), format!("{broken}\n")).expect("a file");
    }
    let before = fs::read(bucket.join("a.jsonl")).expect("a file");
    let (out, err, code) = run(script, folder.path());
    assert_eq!(code, 0, "{err}");
    assert_eq!(out.matches(": error RL101").count(), 2, "{out}");
    assert_eq!(fs::read(bucket.join("a.jsonl")).expect("a file"), before);
    let made = |ending: &str| -> Vec<String> {
        let all = fs::read_dir(folder.path().join("sweep")).expect("a folder").flatten();
        let names = all.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
        names.sort();
        names
    };
    let reports = made(".jsonl");
    assert_eq!(reports.len(), 2, "{reports:?}");
    let dropped =
        fs::read_to_string(folder.path().join("sweep").join(&made(".dropped.jsonl")[0])).expect("a file");
    assert_eq!(dropped.lines().count(), 2);

    // The next night reads what is new.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    fs::write(bucket.join("new.jsonl"), format!("{broken}\n")).expect("a file");
    let (out, err, code) = run(script, folder.path());
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("new.jsonl") && !out.contains("a.jsonl"), "{out}");
    assert_eq!(made(".dropped.jsonl").len(), 2);
}

#[test]
fn the_session_of_an_agent() {
    let [script] = &scripts("Your own agent's session")[..] else { panic!("one script") };
    let folder = tempfile::tempdir().expect("a folder");
    let day = folder.path().join(".codex/sessions/2026/01/02");
    fs::create_dir_all(&day).expect("a folder");
    let session = day.join("rollout-2026-01-02T03-04-05-0199.jsonl");
    let line = |kind: &str, payload: Value| {
        json!({"timestamp": "2026-01-02T03:04:05.000Z", "type": kind, "payload": payload}).to_string()
    };
    let message = |role: &str, kind: &str| {
        let content = json!([{"type": kind, "text": "go"}]);
        line("response_item", json!({"type": "message", "role": role, "content": content}))
    };
    let meta = json!({
        "id": "0199", "timestamp": "2026-01-02T03:04:05.000Z", "cwd": "/w", "originator": "codex_cli_rs",
        "cli_version": "0.41.0"
    });
    // Two processes wrote to it: two records are on one line.
    let glued = message("assistant", "output_text") + &message("user", "input_text");
    let lines = [line("session_meta", meta), message("user", "input_text"), glued];
    fs::write(&session, lines.join("\n") + "\n").expect("a session");
    // Not a session that is being written.
    let old = fs::File::options().append(true).open(&session).expect("a file");
    old.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).expect("a time");
    drop(old);
    let before = fs::read(&session).expect("a file");
    let (out, err, code) = run(script, folder.path());
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("Would fix") || err.contains("Would fix"), "{out}{err}");
    let backup = fs::read(session.with_extension("jsonl.bak")).expect("a backup");
    assert_eq!(backup, before);
}

#[test]
fn images_that_are_refused() {
    let scripts = scripts("Images that are refused");
    let [script] = &scripts[..] else { panic!("{} scripts", scripts.len()) };
    let folder = tempfile::tempdir().expect("a folder");
    let session = root().join("testdata/formats/pi-session/rich.jsonl");
    fs::copy(session, folder.path().join("session.jsonl")).expect("a session");
    let (out, err, code) = run(script, folder.path());
    assert!(
        code == 0 && out.contains("image: PNG, 1x1, 70 bytes\n") && out.contains("2 images, 138 bytes."),
        "{out}{err}"
    );
}

#[test]
fn a_long_session_is_shortened() {
    let scripts = scripts("Conversations that are too long");
    let [script] = &scripts[..] else { panic!("{} scripts", scripts.len()) };
    let folder = tempfile::tempdir().expect("a folder");
    let session = root().join("testdata/formats/pi-session/rich.jsonl");
    fs::copy(session, folder.path().join("session.jsonl")).expect("a session");
    let (out, err, code) = run(script, folder.path());
    assert!(code == 0 && err.matches("Nothing to fix").count() == 2, "{out}{err}");
    let (out, err, code) = run(&script.replace("120k", "40"), folder.path());
    assert!(code == 1 && out.contains("--max-tokens") && err.contains(" tokens before, "), "{out}{err}");
}

#[test]
fn another_model_and_another_account_are_judged() {
    let scripts = scripts("Another model, another account");
    let [script] = &scripts[..] else { panic!("{} scripts", scripts.len()) };
    let folder = tempfile::tempdir().expect("a folder");
    let session = root().join("testdata/formats/pi-session/rich.jsonl");
    fs::copy(session, folder.path().join("session.jsonl")).expect("a session");
    let body = |input: Value| json!({"model": "gpt-5.4", "store": false, "input": input}).to_string();
    fs::write(folder.path().join("body.json"), body(json!([user("hi")]))).expect("a body");
    let (out, err, code) = run(script, folder.path());
    assert!(code == 0 && out.contains("azure"), "{out}{err}");
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let answer = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": "Hello"});
    fs::write(folder.path().join("body.json"), body(json!([user("hi"), reasoning, answer, user("bye")])))
        .expect("a body");
    let (out, err, code) = run(script, folder.path());
    assert!(code == 1 && out.contains("RL208"), "{out}{err}");
}
