//! `check --agents` over a home with the sessions of an agent: it finds those that are broken, and no others; `fix -w`
//! repairs them, and leaves the rest as it is.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const SESSIONS: usize = 1000;
/// One session in so many is broken.
const EVERY: usize = 20;

fn codex(n: usize, broken: bool) -> String {
    let line = |second: usize, kind: &str, payload: &str| {
        format!("{{\"timestamp\":\"2026-09-18T09:31:{second:02}Z\",\"type\":\"{kind}\",\"payload\":{payload}}}\n")
    };
    let item = |second, payload: &str| line(second, "response_item", payload);
    let id = if broken { "review_rollout_user" } else { "msg_01" };
    [
        line(
            1,
            "session_meta",
            &format!("{{\"id\":\"{n}\",\"cli_version\":\"0.154.0\",\"model_provider\":\"openai\"}}"),
        ),
        item(2, &message(id, "user", "input_text", "Run the tests")),
        item(3, r#"{"type":"function_call","call_id":"call_1","name":"shell","arguments":"{}"}"#),
        item(4, r#"{"type":"function_call_output","call_id":"call_1","output":"ok"}"#),
        // Codex answers this call itself.
        item(5, r#"{"type":"function_call","call_id":"call_2","name":"shell","arguments":"{}"}"#),
        item(6, &message("msg_02", "user", "input_text", "Go on")),
    ]
    .concat()
}

/// A broken one names a parent that was never written.
fn claude_code(n: usize, broken: bool) -> String {
    let line = |uuid: usize, parent: Option<usize>, kind: &str, message: &str| {
        let named = |n: usize| format!("\"{n:08}-0000-4000-8000-000000000000\"");
        format!(
            "{{\"parentUuid\":{},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/w\",\"sessionId\":\"s{n}\",\
             \"version\":\"2.1.90\",\"type\":\"{kind}\",\"message\":{message},\"uuid\":{},\
             \"timestamp\":\"2026-06-01T10:00:{uuid:02}.000Z\"}}\n",
            parent.map_or("null".to_owned(), named),
            named(uuid)
        )
    };
    let answer = |id: usize, content: &str| {
        format!(
            "{{\"model\":\"claude-sonnet-4-5-20250929\",\"id\":\"msg_{id}\",\"type\":\"message\",\"role\":\"assistant\",\
             \"content\":[{content}]}}"
        )
    };
    [
        line(1, None, "user", r#"{"role":"user","content":"Run the tests"}"#),
        line(2, Some(1), "assistant", &answer(1, r#"{"type":"text","text":"Yes."}"#)),
        line(3, Some(if broken { 77 } else { 2 }), "user", r#"{"role":"user","content":"Go on"}"#),
        // Claude Code answers this call itself.
        line(
            4,
            Some(3),
            "assistant",
            &answer(2, r#"{"type":"tool_use","id":"toolu_01","name":"Bash","input":{}}"#),
        ),
        line(5, Some(4), "user", r#"{"role":"user","content":"And?"}"#),
        line(6, Some(5), "assistant", &answer(3, r#"{"type":"text","text":"Done."}"#)),
    ]
    .concat()
}

fn message(id: &str, role: &str, kind: &str, text: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"role\":\"{role}\",\
         \"content\":[{{\"type\":\"{kind}\",\"text\":\"{text}\"}}]}}"
    )
}

fn run(home: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(args)
        .current_dir(home)
        .env("HOME", home)
        .env("USERPROFILE", home)
        .env_remove("CODEX_HOME")
        .env_remove("CLAUDE_CONFIG_DIR")
        .env_remove("CLAUDE_CONFIG_DIRS")
        .env_remove("REPLAYLINT_OUTPUT_FORMAT")
        .output()
        .expect("the program runs")
}

fn sum(home: &Path, agent: &str) -> Value {
    let output = run(home, &["check", "--agents", agent, "--output-format", "json"]);
    let sums: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    sums["agents"][0].clone()
}

#[test]
fn the_broken_sessions_of_an_agent_are_found_and_repaired() {
    let agents = [
        ("codex", ".codex/sessions/2026/09/18", codex as fn(usize, bool) -> String),
        ("claude-code", ".claude/projects/-w", claude_code),
    ];
    for (agent, folder, make) in agents {
        let dir = tempfile::tempdir().expect("a folder");
        let home = dir.path();
        fs::create_dir_all(home.join(folder)).expect("a folder");
        let path = |n: usize| -> PathBuf { home.join(folder).join(format!("rollout-{n:04}.jsonl")) };
        let is_broken = |n: usize| n.is_multiple_of(EVERY);
        let texts: Vec<String> = (0..SESSIONS).map(|n| make(n, is_broken(n))).collect();
        for (n, text) in texts.iter().enumerate() {
            fs::write(path(n), text).expect("written");
        }
        let found = sum(home, agent);
        assert_eq!(found["sessions"], SESSIONS, "{found}");
        let broken = found["rejected"].as_u64().zip(found["damaged"].as_u64()).map(|(a, b)| a + b);
        assert_eq!(broken, Some((SESSIONS / EVERY) as u64), "{found}");
        let worst: BTreeSet<&str> =
            found["worst"].as_array().expect("a list").iter().filter_map(|bad| bad["path"].as_str()).collect();
        assert_eq!(worst.len(), 10);
        assert!(worst.iter().all(|bad| (0..SESSIONS).any(|n| is_broken(n) && path(n).ends_with(Path::new(bad)))));

        let fixed = run(home, &["fix", "-w", "--force", "--quiet", folder]);
        assert!(fixed.status.success(), "{}", String::from_utf8_lossy(&fixed.stderr));
        for (n, text) in texts.iter().enumerate() {
            let now = fs::read_to_string(path(n)).expect("UTF-8");
            assert_eq!(now == *text, !is_broken(n), "{}", path(n).display());
        }
        let healthy = sum(home, agent);
        assert_eq!((&healthy["sessions"], &healthy["worst"]), (&Value::from(SESSIONS), &Value::Array(Vec::new())));
    }
}

#[test]
fn without_agents_the_searched_folders_are_listed() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = run(dir.path(), &["check", "--agents"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains(".codex") && stderr.contains(".claude"), "{stderr}");
}
