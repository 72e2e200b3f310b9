//! Sessions that are carried over to another agent: the requirements of the agent on its files, round trips, and that
//! nothing is overwritten.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The sessions to carry over, with their formats.
const SOURCES: [(&str, &str); 9] = [
    ("codex-session", "testdata/carry/codex.jsonl"),
    ("codex-session", "testdata/formats/codex-rollout/2026-rolled-back.jsonl"),
    ("claude-code-session", "testdata/carry/claude.jsonl"),
    ("claude-code-session", "testdata/formats/claude-code/parallel.jsonl"),
    ("pi-session", "testdata/formats/pi-session/clean.jsonl"),
    ("pi-session", "testdata/formats/pi-session/openai.jsonl"),
    ("opencode-export", "testdata/formats/opencode-export/clean.json"),
    ("opencode-export", "testdata/formats/opencode-export/compacted.json"),
    ("opencode-export", "testdata/formats/opencode-export/openai.json"),
];
const SESSIONS: [&str; 9] = [
    "codex-session",
    "claude-code-session",
    "opencode-export",
    "pi-session",
    "gemini-session",
    "agents-session",
    "ui-messages",
    "model-messages",
    "langchain-messages",
];

/// Variables by which agents find their folders.
const VARIABLES: [&str; 9] = [
    "CODEX_HOME",
    "CLAUDE_CONFIG_DIR",
    "PI_CODING_AGENT_DIR",
    "GEMINI_CLI_HOME",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_CONTENT",
    "OPENCODE_CONFIG_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
];

fn replaylint(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.env("HOME", home).env("NO_COLOR", "1").args(args).output().expect("it runs")
}

/// A home folder in which Codex is configured to use OpenAI.
fn home_with_codex() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    fs::create_dir(home.path().join(".codex")).expect("made");
    fs::write(home.path().join(".codex/config.toml"), "model = \"gpt-5\"\n").expect("written");
    home
}

/// Carries a file over. Returns the session, and the messages on standard error.
fn carry_over(home: &Path, to: &str, tools: &str, from: &str) -> (String, String) {
    let args = ["convert", "--isolated", "--to", to, "--tools", tools, "--output-format", "concise", from];
    let output = replaylint(home, &args);
    let output_text = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{to} {from}: {output_text}");
    (String::from_utf8(output.stdout).expect("UTF-8"), output_text)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn text<'v>(val: &'v Value, pointer: &str) -> &'v str {
    val.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
        && groups[3].starts_with(['8', '9', 'a', 'b'])
}

fn is_moment(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00.000Z"
}

/// The file that --install created below a folder.
fn only_file(folder: &Path) -> PathBuf {
    let mut folders = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { found.push(entry.path()) }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[test]
fn a_session_for_codex_has_what_codex_demands() {
    for (tools, (_, from)) in SOURCES.iter().flat_map(|source| [("notes", source), ("calls", source)]) {
        let home = home_with_codex();
        let args = ["convert", "--isolated", "--to", "codex-session", "--tools", tools, "--install", "--cwd", "/"];
        let output = replaylint(home.path(), &[&args[..], &[from]].concat());
        assert!(output.status.success(), "{from}: {}", String::from_utf8_lossy(&output.stderr));
        let path = only_file(&home.path().join(".codex/sessions"));
        let written = fs::read_to_string(&path).expect("UTF-8");
        assert!(written.ends_with('\n'));
        let all = lines(&written);
        // The name: by date, with the id.
        let meta = &all[0];
        let id = text(meta, "/payload/id");
        assert!(is_uuid(id) && id.as_bytes()[14] == b'7', "{id}");
        let time = text(meta, "/payload/timestamp");
        let date = time[..10].replace('-', "/");
        let name = format!("{date}/rollout-{}-{id}.jsonl", time[..19].replace(':', "-"));
        assert_eq!(path, home.path().join(".codex/sessions").join(name));
        // The header.
        assert_eq!(text(meta, "/type"), "session_meta");
        assert_eq!(text(meta, "/payload/session_id"), id);
        for (key, value) in
            [("cwd", "/"), ("source", "cli"), ("thread_source", "user"), ("model_provider", "openai")]
        {
            assert_eq!(text(meta, &format!("/payload/{key}")), value);
        }
        for key in ["originator", "cli_version"] {
            assert!(!text(meta, &format!("/payload/{key}")).is_empty(), "{key}");
        }
        assert!(meta.pointer("/payload/history_mode").is_none());
        assert!(all.iter().all(|line| is_moment(text(line, "/timestamp")) && line.get("ordinal").is_none()));
        // The list of sessions, and the screen.
        let event =
            |line: &Value, kind: &str| text(line, "/type") == "event_msg" && text(line, "/payload/type") == kind;
        assert!(all.iter().take(200).any(|line| event(line, "user_message")), "{from}");
        let mut open = false;
        for line in &all[1..] {
            if event(line, "task_started") {
                assert!(!open && !text(line, "/payload/turn_id").is_empty());
                open = true;
            } else if event(line, "task_complete") {
                assert!(open);
                open = false;
            } else {
                assert!(open, "{from}: {line} is in no turn");
            }
        }
        assert!(!open);
        let items =
            || all.iter().filter(|line| text(line, "/type") == "response_item").map(|line| &line["payload"]);
        for item in items() {
            match text(item, "/type") {
                "message" => {
                    let kind = if text(item, "/role") == "user" { "input_text" } else { "output_text" };
                    let parts = item["content"].as_array().expect("a list");
                    assert!(
                        parts.iter().all(|part| [kind, "input_image"].contains(&text(part, "/type"))),
                        "{item}"
                    );
                }
                "function_call" => assert!(item["arguments"].is_string() && item["call_id"].is_string()),
                "function_call_output" => assert!(item["output"].is_string() && item["call_id"].is_string()),
                "custom_tool_call" => assert!(item["input"].is_string() && item["call_id"].is_string()),
                "custom_tool_call_output" => assert!(item["output"].is_string()),
                other => panic!("{from}: {other}"),
            }
        }
        let unlisted = |role: &str, kind: &str| {
            items().filter(|item| text(item, "/role") == role).count()
                - all.iter().filter(|line| event(line, kind)).count()
        };
        assert_eq!((unlisted("assistant", "agent_message"), unlisted("user", "user_message")), (0, 0), "{from}");
        let ending = |end: &str| items().filter(|item| text(item, "/type").ends_with(end)).count();
        assert_eq!(ending("_call"), ending("_call_output"), "{from}");
        assert!(tools == "calls" || ending("_call") == 0, "{from}");
        assert_eq!(
            tools == "notes" && from.contains("claude"),
            written.contains("[external_agent_tool_call: Bash]\\n")
        );
    }
}

#[test]
fn a_session_for_claude_code_has_what_claude_code_demands() {
    for (_, from) in SOURCES {
        let home = tempfile::tempdir().expect("a folder");
        let cwd = home.path().join("my_app v2");
        fs::create_dir(&cwd).expect("a folder");
        let real = fs::canonicalize(&cwd).expect("it is there").to_string_lossy().into_owned();
        let args = ["convert", "--isolated", "--to", "claude-code-session", "--install", "--cwd"];
        let output = replaylint(home.path(), &[&args[..], &[&cwd.to_string_lossy(), from]].concat());
        assert!(output.status.success(), "{from}: {}", String::from_utf8_lossy(&output.stderr));
        let path = only_file(&home.path().join(".claude"));
        let written = fs::read_to_string(&path).expect("UTF-8");
        assert!(written.ends_with("}\n"), "the next record must not be glued to the last");
        let all = lines(&written);
        let id = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let folder: String = real.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        assert_eq!(path, home.path().join(".claude/projects").join(folder).join(format!("{id}.jsonl")));
        assert!(is_uuid(&id));
        assert_eq!(text(&all[0], "/type"), "user");
        assert!(all.iter().all(|line| text(line, "/sessionId") == id));
        let (title, chain) = all.split_last().expect("lines");
        assert_eq!(text(title, "/type"), "custom-title");
        assert!(!text(title, "/customTitle").is_empty());
        let mut parent = Value::Null;
        let (mut open, mut used) = (BTreeSet::new(), BTreeSet::new());
        for line in chain {
            assert_eq!(line["parentUuid"], parent);
            parent = line["uuid"].clone();
            assert!(is_uuid(text(line, "/uuid")) && is_moment(text(line, "/timestamp")));
            assert_eq!((line["isSidechain"].as_bool(), text(line, "/userType")), (Some(false), "external"));
            assert_eq!(text(line, "/cwd"), real);
            assert!(line["version"].is_string() && line["gitBranch"].is_string());
            let message = &line["message"];
            assert_eq!(text(line, "/type"), text(message, "/role"));
            if text(line, "/type") == "assistant" {
                assert!(
                    text(message, "/id").starts_with("msg_") && text(message, "/model").starts_with("claude-")
                );
                assert_eq!(text(message, "/type"), "message");
                assert!(message["stop_reason"].is_string() && message["stop_sequence"].is_null());
                assert!(message["usage"]["input_tokens"].is_u64() && message["usage"]["output_tokens"].is_u64());
            }
            let blocks = message["content"].as_array().into_iter().flatten();
            let results: BTreeSet<String> = blocks
                .clone()
                .filter(|block| text(block, "/type") == "tool_result")
                .map(|block| text(block, "/tool_use_id").to_owned())
                .collect();
            assert_eq!(results, std::mem::take(&mut open), "{from}");
            for block in blocks {
                assert_ne!(text(block, "/type"), "thinking");
                if text(block, "/type") == "tool_use" {
                    let id = text(block, "/id");
                    assert!(id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{id}");
                    assert!(used.insert(id.to_owned()), "{id} is used twice");
                    open.insert(id.to_owned());
                }
            }
        }
    }
}

#[test]
fn sessions_for_other_agents_have_what_these_demand() {
    let home = tempfile::tempdir().expect("a folder");
    for (_, from) in SOURCES {
        let (export, _) = carry_over(home.path(), "opencode-export", "calls", from);
        let export: Value = serde_json::from_str(&export).expect("JSON");
        for key in ["id", "slug", "version", "projectID", "directory", "title"] {
            assert!(export["info"][key].is_string(), "{key}");
        }
        let (mut ids, mut parts) = (Vec::new(), Vec::new());
        for message in export["messages"].as_array().expect("a list") {
            let info = &message["info"];
            ids.push(text(info, "/id").to_owned());
            assert!(info["agent"].is_string() && info["time"]["created"].is_i64());
            if text(info, "/role") == "assistant" {
                for key in ["parentID", "modelID", "providerID", "mode"] {
                    assert!(info[key].is_string(), "{key}");
                }
                assert!(ids.iter().any(|id| id == text(info, "/parentID")), "{info}");
                assert!(info["path"]["cwd"].is_string() && info["path"]["root"].is_string());
                assert!(info["cost"].is_number() && info["tokens"]["cache"]["read"].is_number());
            } else {
                assert!(info["model"]["providerID"].is_string() && info["model"]["modelID"].is_string());
            }
            for part in message["parts"].as_array().expect("a list") {
                parts.push(text(part, "/id").to_owned());
                assert_eq!((&part["messageID"], &part["sessionID"]), (&info["id"], &export["info"]["id"]));
                match text(part, "/type") {
                    "tool" => {
                        let state = &part["state"];
                        assert!(state["input"].is_object() && state["metadata"].is_object());
                        assert!(state["time"]["start"].is_i64() && state["time"]["end"].is_i64());
                        let done = text(state, "/status") == "completed" && state["output"].is_string();
                        assert!(done && state["title"].is_string() || state["error"].is_string(), "{state}");
                    }
                    "step-finish" => assert!(part["reason"].is_string() && part["tokens"].is_object()),
                    "reasoning" => assert!(part["time"]["start"].is_i64()),
                    _ => {}
                }
            }
        }
        for ids in [ids, parts] {
            assert!(ids.is_sorted() && ids.iter().collect::<BTreeSet<_>>().len() == ids.len(), "{from}: {ids:?}");
        }

        let (pi, _) = carry_over(home.path(), "pi-session", "calls", from);
        let pi = lines(&pi);
        assert_eq!((text(&pi[0], "/type"), pi[0]["version"].as_u64()), ("session", Some(3)));
        assert!(!text(&pi[0], "/cwd").is_empty() && is_moment(text(&pi[0], "/timestamp")));
        let mut parent = Value::Null;
        for entry in &pi[1..] {
            let id = text(entry, "/id");
            assert!(id.len() == 8 && id.chars().all(|c| c.is_ascii_hexdigit()), "{id}");
            assert_eq!(entry["parentId"], parent);
            parent = entry["id"].clone();
            let message = &entry["message"];
            assert!(message.is_null() || message["content"].is_array(), "{entry}");
            if text(message, "/role") == "assistant" {
                assert!(message["stopReason"].is_string());
                for key in ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] {
                    assert!(
                        message["usage"][key].is_u64()
                            && (key == "totalTokens" || message["usage"]["cost"][key].is_u64())
                    );
                }
            }
        }

        let args = ["convert", "--isolated", "--to", "gemini-session", "--install", "--cwd", "/"];
        let home = tempfile::tempdir().expect("a folder");
        assert!(replaylint(home.path(), &[&args[..], &[from]].concat()).status.success());
        let path = only_file(home.path());
        let gemini = lines(&fs::read_to_string(&path).expect("UTF-8"));
        let header = &gemini[0];
        assert_eq!(text(header, "/kind"), "main");
        // `printf / | sha256sum`
        let project = "8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1";
        assert_eq!(text(header, "/projectHash"), project);
        let time = text(header, "/startTime")[..16].replace(':', "-");
        let name = format!("session-{time}-{}.jsonl", &text(header, "/sessionId")[..8]);
        assert_eq!(path.file_name().expect("a name").to_string_lossy(), name);
        assert!(
            path.starts_with(home.path().join(".gemini/tmp").join(text(header, "/projectHash")).join("chats"))
        );
        assert!(gemini[1..].iter().any(|line| text(line, "/type") == "user"));
        for line in &gemini[1..] {
            assert!(is_uuid(text(line, "/id")) && is_moment(text(line, "/timestamp")));
            for call in line["toolCalls"].as_array().into_iter().flatten() {
                assert!(call["args"].is_object() && call["result"].as_array().is_some_and(|list| list.len() == 1));
            }
        }
    }
}

#[test]
fn what_is_written_is_read_without_a_finding() {
    let home = home_with_codex();
    for (to, (_, from)) in SESSIONS.iter().flat_map(|to| SOURCES.iter().map(move |source| (to, source))) {
        for tools in ["notes", "calls"] {
            let (written, _) = carry_over(home.path(), to, tools, from);
            let path = home.path().join("written");
            fs::write(&path, &written).expect("written");
            let path = path.to_string_lossy();
            // Azure may require annotations, which other agents do not store.
            let args = ["check", "--isolated", "--ignore", "RL406", "--output-format", "concise", &path];
            let output = replaylint(home.path(), &args);
            let output_text = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && output_text.contains("No problems found in 1 conversation"),
                "{to} {from}: {output_text}"
            );
            // A second run writes the same bytes.
            assert_eq!(written, carry_over(home.path(), to, tools, from).0);
        }
    }
}

/// The content of a conversation: texts by role, calls, results; each with its number of occurrences.
type ContentCounts = BTreeMap<(String, String), usize>;

fn content_counts(home: &Path, from: &str) -> ContentCounts {
    let output = replaylint(home, &["convert", "--isolated", "--to", "chat", "--output-format", "concise", from]);
    // Subagents follow, in lines of their own.
    let first = output.stdout.split(|byte| *byte == b'\n').next().expect("a line");
    let body: Value = serde_json::from_slice(first).expect("a request");
    let mut output_text = ContentCounts::new();
    for message in body["messages"].as_array().expect("a list") {
        let role = text(message, "/role");
        let texts: Vec<&str> = match &message["content"] {
            Value::String(text) => vec![text],
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            _ => Vec::new(),
        };
        for text in texts.into_iter().filter(|_| !["system", "developer"].contains(&role)) {
            *output_text.entry((role.to_owned(), text.to_owned())).or_default() += 1;
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let arguments: Value = serde_json::from_str(text(call, "/function/arguments"))
                .unwrap_or(call["function"]["arguments"].clone());
            let name = format!("call {}", text(call, "/function/name"));
            *output_text.entry((name, arguments.to_string())).or_default() += 1;
        }
    }
    output_text
}

#[test]
fn a_round_trip_keeps_every_text_call_and_output() {
    let home = tempfile::tempdir().expect("a folder");
    let (there, back) = (home.path().join("there"), home.path().join("back"));
    let (there, back) = (there.to_string_lossy(), back.to_string_lossy());
    for (own, from) in SOURCES {
        let before = content_counts(home.path(), from);
        assert!(before.len() > 2, "{from} says little: {before:?}");
        for to in SESSIONS.iter().filter(|to| **to != own && **to != "agents-session") {
            let (written, losses) = carry_over(home.path(), to, "calls", from);
            fs::write(&*there, written).expect("written");
            assert_eq!(content_counts(home.path(), &there), before, "{from} to {to}: {losses}");
            let (written, _) = carry_over(home.path(), own, "calls", &there);
            fs::write(&*back, written).expect("written");
            assert_eq!(content_counts(home.path(), &back), before, "{from} to {to} and back");
        }
    }
}

#[test]
fn losses_are_reported_and_can_be_denied() {
    let home = tempfile::tempdir().expect("a folder");
    let from = "testdata/carry/claude.jsonl";
    let (_, output_text) = carry_over(home.path(), "pi-session", "calls", from);
    for loss in
        ["RL901", "RL909 dropped the transcript of a subagent", "RL909 dropped file snapshots (1)", "RL903"]
    {
        assert!(output_text.contains(loss), "{loss}: {output_text}");
    }
    let (_, output_text) = carry_over(home.path(), "codex-session", "notes", from);
    assert!(
        output_text.contains("RL911 changed calls and results to notes")
            && output_text.contains("RL909 truncated notes (1)"),
        "{output_text}"
    );
    let args = ["convert", "--isolated", "--deny-loss", "--install", "--to", "codex-session", from];
    let output = replaylint(home.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 0, "something was written");
}

#[test]
fn an_installed_session_is_never_overwritten() {
    for (to, folder) in [
        ("codex-session", ".codex"),
        ("claude-code-session", ".claude"),
        ("pi-session", ".pi"),
        ("gemini-session", ".gemini"),
    ] {
        let home = tempfile::tempdir().expect("a folder");
        let args = ["convert", "--isolated", "--to", to, "--install", "testdata/formats/pi-session/clean.jsonl"];
        assert!(replaylint(home.path(), &args).status.success());
        let path = only_file(&home.path().join(folder));
        fs::write(&path, "mine\n").expect("written");
        let output = replaylint(home.path(), &args);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("already exists"));
        assert_eq!(fs::read_to_string(only_file(&home.path().join(folder))).expect("UTF-8"), "mine\n");
    }
}

#[cfg(feature = "sqlite")]
#[test]
fn a_database_for_the_agents_sdk_has_a_row_for_each_item() {
    let home = tempfile::tempdir().expect("a folder");
    let from = "testdata/formats/pi-session/clean.jsonl";
    let (items, _) = carry_over(home.path(), "agents-session", "calls", from);
    let path = home.path().join("sessions.db");
    let name = path.to_string_lossy();
    let args = ["convert", "--isolated", "--to", "agents-session", "-o", &name, from];
    let output = replaylint(home.path(), &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let database = rusqlite::Connection::open(&path).expect("a database");
    let mut rows = database.prepare("SELECT message_data FROM agent_messages ORDER BY id").expect("its table");
    let rows: Vec<String> =
        rows.query_map([], |row| row.get(0)).expect("rows").map(|row| row.expect("a row")).collect();
    assert_eq!(rows, items.lines().collect::<Vec<_>>());
    let (id, began): (String, String) = database
        .query_row("SELECT session_id, created_at FROM agent_sessions", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("a session");
    assert!(is_uuid(&id));
    assert_eq!(began, "2026-01-01 00:00:01");
    assert!(String::from_utf8_lossy(&output.stderr).contains(&id));
    let checked = replaylint(home.path(), &["check", "--isolated", &name]);
    assert!(String::from_utf8_lossy(&checked.stdout).contains("No problems found in 1 conversation"));
    assert_eq!(replaylint(home.path(), &args).status.code(), Some(2), "it must not be written over");
}

/// Carries a session over in a home folder with configuration files. Returns the session, and what is printed.
fn configured(files: &[(&str, &str)], args: &[&str]) -> (String, String) {
    let home = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let args = [&["convert", "--isolated", "--output-format", "concise"], args].concat();
    let output = replaylint(home.path(), &args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    (out, err)
}

const CLAUDE: &str = "testdata/carry/claude.jsonl";

#[test]
fn a_session_for_codex_names_the_provider_that_codex_is_configured_to_use() {
    let codex = "testdata/carry/proxy.jsonl";
    let profile = "profile = \"work\"\nmodel_provider = \"a\"\n[profiles.work]\nmodel_provider = \"b\"\n";
    for (config, from, flags, provider, resume) in [
        (None, CLAUDE, &[][..], "openai", "`codex resume "),
        (Some("model = \"gpt-5\"\n"), CLAUDE, &[], "openai", "`codex resume "),
        (Some("model_provider = \"proxy\"\n"), CLAUDE, &[], "proxy", "`codex resume "),
        (Some(profile), CLAUDE, &[], "b", "`codex resume "),
        // The source's own, if Codex has no configuration; with a flag, because Codex would use another one.
        (None, codex, &[], "proxy", "`codex -c model_provider=proxy resume "),
        (Some("model_provider = \"a\"\n"), codex, &[], "a", "`codex resume "),
        (
            Some("model_provider = \"a\"\n"),
            CLAUDE,
            &["--set-provider", "b"],
            "b",
            "`codex -c model_provider=b resume ",
        ),
        (
            Some("model_provider = [\n"),
            CLAUDE,
            &[],
            "openai",
            "~/.codex/config.toml: ignored: it is not valid TOML (line 1)",
        ),
    ] {
        let files: Vec<(&str, &str)> = config.map(|text| (".codex/config.toml", text)).into_iter().collect();
        let (session, printed) = configured(&files, &[&["--to", "codex-session", from], flags].concat());
        assert_eq!(text(&lines(&session)[0], "/payload/model_provider"), provider, "{config:?} {from}: {printed}");
        assert!(printed.contains(resume), "{config:?} {from}: {printed}");
    }
}

/// The providers and models of a session for opencode or pi.
fn models(session: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let mut rest: Vec<Value> = lines(session);
    while let Some(value) = rest.pop() {
        for (provider, model) in [("providerID", "modelID"), ("provider", "model")] {
            if let (Some(provider), Some(model)) = (value[provider].as_str(), value[model].as_str()) {
                found.insert((provider.to_owned(), model.to_owned()));
            }
        }
        match value {
            Value::Array(list) => rest.extend(list),
            Value::Object(members) => rest.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    found
}

#[test]
fn sessions_for_opencode_and_pi_name_a_model_that_these_have() {
    let proxied = "testdata/carry/pi-proxy.jsonl";
    const JSONC: &str = "{\n  // mine\n  \"model\": \"local/z-ai/glm-5\",\n}\n";
    const MODELS: &str = "{\"providers\": {\"local\": {\"api\": \"anthropic-messages\", \"models\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}}} // mine\n";
    let recent = r#"{"recent":[{"providerID":"local","modelID":"qwen3"}]}"#;
    let run = "-m PROVIDER/MODEL MESSAGE`; replace PROVIDER/MODEL with a model that `opencode models` lists";
    let claude = ("anthropic", "claude-sonnet-4-5-20250929");
    for (to, files, from, flags, model, printed) in [
        ("opencode-export", &[][..], CLAUDE, &[][..], claude, "opencode's configuration names no model"),
        ("opencode-export", &[], proxied, &[], ("proxy", "gpt-x"), run),
        (
            "opencode-export",
            &[(".config/opencode/opencode.jsonc", JSONC)],
            proxied,
            &[],
            ("local", "z-ai/glm-5"),
            "`opencode -s ",
        ),
        (
            "opencode-export",
            &[(".local/state/opencode/model.json", recent)],
            proxied,
            &[],
            ("local", "qwen3"),
            "`opencode -s ",
        ),
        (
            "opencode-export",
            &[(".config/opencode/opencode.json", "{")],
            proxied,
            &[],
            ("proxy", "gpt-x"),
            "opencode.json: ignored: it is not valid JSON (line 1)",
        ),
        (
            "opencode-export",
            &[(".config/opencode/opencode.jsonc", JSONC)],
            CLAUDE,
            &["--set-provider", "own", "--model", "m"],
            ("own", "m"),
            "`opencode -s ",
        ),
        ("pi-session", &[], CLAUDE, &[], claude, "pi --session "),
        (
            "pi-session",
            &[],
            proxied,
            &[],
            ("proxy", "gpt-x"),
            "--model PROVIDER/MODEL`; replace PROVIDER/MODEL with a model that `pi --list-models` lists",
        ),
        ("pi-session", &[(".pi/agent/models.json", MODELS)], proxied, &[], ("local", "a"), "pi --session "),
        ("pi-session", &[(".pi/agent/models.json", MODELS)], CLAUDE, &[], claude, "pi --session "),
        (
            "pi-session",
            &[
                (".pi/agent/settings.json", r#"{"defaultProvider":"local","defaultModel":"b"}"#),
                (".pi/agent/models.json", MODELS),
            ],
            CLAUDE,
            &[],
            ("local", "b"),
            "pi --session ",
        ),
    ] {
        let (session, said) = configured(files, &[&["--to", to, from], flags].concat());
        let model = (model.0.to_owned(), model.1.to_owned());
        assert_eq!(models(&session), BTreeSet::from([model.clone()]), "{to} {files:?}: {said}");
        assert!(said.contains(printed), "{to} {files:?}: {said}");
        if to == "pi-session" && model.0 == "local" {
            assert!(session.contains(r#""api":"anthropic-messages","provider":"local""#), "{session}");
        }
    }
}

/// The configuration of the project applies before the general one, and that above its repository does not.
#[test]
fn the_configuration_of_the_project_comes_first() {
    let home = tempfile::tempdir().expect("a folder");
    let project = home.path().join("work/app");
    fs::create_dir_all(project.join(".git")).expect("made");
    fs::create_dir_all(project.join("src")).expect("made");
    let write = |name: &str, text: &str| {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write("work/opencode.json", r#"{"model":"above/m"}"#);
    write(".config/opencode/opencode.json", r#"{"model":"general/m"}"#);
    let provider = |to: &str| {
        let cwd = project.join("src");
        let args = ["convert", "--isolated", "--to", to, "--cwd", &cwd.to_string_lossy(), CLAUDE];
        let output = replaylint(home.path(), &args);
        models(&String::from_utf8(output.stdout).expect("UTF-8")).pop_first().expect("a model").0
    };
    assert_eq!(provider("opencode-export"), "general");
    write("work/app/opencode.jsonc", r#"{"model":"project/m"}"#);
    assert_eq!(provider("opencode-export"), "project");
    write(".pi/agent/settings.json", r#"{"defaultProvider":"general","defaultModel":"m"}"#);
    assert_eq!(provider("pi-session"), "general");
    write("work/app/src/.pi/settings.json", r#"{"defaultProvider":"project","defaultModel":"m"}"#);
    assert_eq!(provider("pi-session"), "project");
}

#[test]
fn gemini_sessions_have_notes_by_default_and_it_is_said_why() {
    let home = tempfile::tempdir().expect("a folder");
    let convert = |flags: &[&str], from: &str| {
        let args =
            [&["convert", "--isolated", "--output-format", "concise", "--to", "gemini-session"], flags, &[from]];
        let output = replaylint(home.path(), &args.concat());
        (String::from_utf8(output.stdout).expect("UTF-8"), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let (session, printed) = convert(&[], CLAUDE);
    assert!(!session.contains("toolCalls") && session.contains("[external_agent_tool_call: Bash]"), "{session}");
    assert!(printed.contains("resumed a second time"), "{printed}");
    let (session, printed) = convert(&["--tools", "calls"], CLAUDE);
    assert!(session.contains("toolCalls") && !printed.contains("second time"), "{printed}");
    let (_, printed) = convert(&["--tools", "notes"], CLAUDE);
    assert!(!printed.contains("second time"), "{printed}");
}

#[test]
fn two_files_with_the_same_session_are_refused_before_anything_is_written() {
    let home = tempfile::tempdir().expect("a folder");
    let copy = home.path().join("copy.jsonl");
    fs::copy(CLAUDE, &copy).expect("copied");
    let out = home.path().join("out/").to_string_lossy().into_owned();
    for to in [&["-o", &*out][..], &["--install"]] {
        let args = ["convert", "--isolated", "--to", "pi-session", CLAUDE, &copy.to_string_lossy()];
        let output = replaylint(home.path(), &[&args[..], to].concat());
        let printed = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert!(printed.contains("are the same session") && printed.contains(CLAUDE), "{printed}");
        assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 1);
    }
}

/// A copy of a paginated rollout is where Codex finds it, under an id of its own; nothing is replaced.
#[test]
fn a_repaired_copy_of_a_rollout_is_installed() {
    let home = tempfile::tempdir().expect("a folder");
    let from = "testdata/carry/paginated-twice.jsonl";
    let before = fs::read(from).expect("it is there");
    let output = replaylint(home.path(), &["check", "--isolated", from]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let command = format!("replaylint fix --install --isolated {from}");
    assert!(printed.contains(&command) && !printed.contains("No fix is available"), "{printed}");
    let args = ["fix", "--isolated", "--install", from];
    let output = replaylint(home.path(), &args);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let path = only_file(home.path());
    let written = fs::read_to_string(&path).expect("UTF-8");
    let meta = &lines(&written)[0];
    let (id, time) = (text(meta, "/payload/id"), text(meta, "/timestamp"));
    assert!(is_uuid(id) && !String::from_utf8_lossy(&before).contains(id));
    let name = format!("{}/rollout-{}-{id}.jsonl", time[..10].replace('-', "/"), time[..19].replace(':', "-"));
    assert_eq!(path, home.path().join(".codex/sessions").join(name));
    assert!(printed.contains(&format!("Resume with `codex resume {id}`")), "{printed}");
    assert_eq!(replaylint(home.path(), &["check", "--isolated", &path.to_string_lossy()]).status.code(), Some(0));
    assert_eq!(fs::read(from).expect("it is there"), before);
    // A second run would write the same file.
    let output = replaylint(home.path(), &args);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("already exists; --install never overwrites a file"));
    assert_eq!(fs::read_to_string(only_file(home.path())).expect("UTF-8"), written);
}

#[test]
fn sessions_that_are_repaired_in_place_are_not_installed() {
    let home = tempfile::tempdir().expect("a folder");
    let from = home.path().join("session.jsonl");
    let lines = [
        r#"{"type":"session","version":3,"id":"019b76da-abe8-7a4f-8000-000000000001","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work"}"#,
        r#"{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Hi"}],"timestamp":1}}"#,
        r#"{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Hi"}],"timestamp":1}}{"type":"x"}"#,
    ];
    fs::write(&from, lines.join("\n") + "\n").expect("written");
    let from = from.to_string_lossy();
    let output = replaylint(home.path(), &["fix", "--isolated", "--install", &from]);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(
        printed.contains(&format!("is repaired in place; use `replaylint fix -w --isolated {from}`")),
        "{printed}"
    );
    only_file(home.path());
}
