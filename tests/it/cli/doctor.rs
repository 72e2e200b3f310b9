//! `doctor` and `fix --agents` in homes with sessions of agents: what is broken is found, said, repaired with a backup that
//! no agent sees, and can be resumed; what is healthy stays as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use replaylint::internals::format::agent::Resume;
use replaylint::internals::formats::agents::resume::AGENTS;
use serde_json::Value;
use tempfile::TempDir;

use crate::formats::agents_databases::{ASKS, CALLS, GIVES, crush};
use crate::formats::opencode;
use crate::source::writing::backdate;

const ID: &str = "019f7000-0000-7000-8000-000000000001";

/// A home with sessions.
struct Home(TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a session that was last changed a minute ago.
    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, bytes).expect("written");
        backdate(&path);
        path
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
        for agent in AGENTS {
            let folders = &agent.session_folders;
            folders.list.iter().chain([&folders.variable]).filter(|name| !name.is_empty()).for_each(|name| {
                command.env_remove(name);
            });
        }
        let home = self.0.path();
        command.args(args).current_dir(home).env("HOME", home).env("USERPROFILE", home);
        command.env_remove("XDG_STATE_HOME").env_remove("REPLAYLINT_OUTPUT_FORMAT");
        command.output().expect("the program runs")
    }

    /// The exit code, and everything that was printed, in one line.
    fn say(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = self.run(args);
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).expect("UTF-8");
        (output.status.code(), text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The files below a folder.
    fn files(&self, below: &str) -> Vec<PathBuf> {
        let mut all = Vec::new();
        let mut folders = vec![self.path(below)];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() { folders.push(path) } else { all.push(path) }
            }
        }
        all.sort();
        all
    }
}

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats").join(name);
    fs::read_to_string(path).expect("a sample")
}

/// Agents whose files are edited: a sample, where it is stored, and the id in the command that resumes it; empty for those
/// that are resumed from a list.
const EDITED: [(&str, &str, &str, &str); 13] = [
    (
        "codex",
        "codex-rollout/2025-09-wrapped.jsonl",
        ".codex/sessions/2026/09/18/rollout-2026-09-18T09-30-54-{}.jsonl",
        "codex resume {}",
    ),
    ("claude-code", "claude-code/parallel.jsonl", ".claude/projects/-w/{}.jsonl", "claude --resume {}"),
    ("pi", "pi-session/clean.jsonl", ".pi/agent/sessions/--w--/1_{}.jsonl", "1_{}.jsonl"),
    (
        "gemini-cli",
        "gemini-cli/session.jsonl",
        ".gemini/tmp/app/chats/session-1.jsonl",
        "gemini --resume 0f1e2d3c-0000-4000-8000-000000000001",
    ),
    ("qwen-code", "qwen-code/session.jsonl", ".qwen/projects/-w/chats/{}.jsonl", "qwen --resume {}"),
    ("copilot", "copilot-cli/session.jsonl", ".copilot/session-state/{}/events.jsonl", "copilot --resume={}"),
    ("droid", "droid-session/session.jsonl", ".factory/sessions/{}.jsonl", ""),
    (
        "kimi",
        "kimi-session/session.jsonl",
        ".kimi-code/sessions/wd_1/session_{}/agents/main/wire.jsonl",
        "kimi -S session_{}",
    ),
    (
        "goose",
        "goose-session/clean.jsonl",
        ".local/share/goose/sessions/20260918_1.jsonl",
        "goose session --resume --session-id 20260918_1",
    ),
    ("cline", "cline-session/task.json", ".cline/data/tasks/{}/api_conversation_history.json", ""),
    ("hermes", "hermes-session/session.json", ".hermes/sessions/session_1.json", "hermes chat --resume h1"),
    ("grok", "grok-cli/rich.jsonl", ".grok/sessions/w/{}.jsonl", ""),
    ("antigravity", "antigravity/session.jsonl", ".gemini/antigravity/brain/{}/transcript.jsonl", ""),
];

/// Keys and values of tool results.
const RESULTS: [&str; 8] = [
    "\"tool_result\"",
    "function_call_output",
    "toolResult",
    "tool.execution_complete",
    "functionResponse",
    "\"role\":\"tool\"",
    "toolResponse",
    "tool.result",
];

/// A message of a JSON document that only has the results of tools.
fn answers(message: &Value) -> bool {
    let is_result = |block: &Value| block["type"] == "tool_result";
    message["role"] == "tool" || message["content"].as_array().is_some_and(|blocks| blocks.iter().any(is_result))
}

/// A document, after an edit of its messages at that of the last result.
fn edit_messages(mut document: Value, edit: fn(&mut Vec<Value>, usize)) -> String {
    let messages = if document.is_array() { &mut document } else { &mut document["messages"] };
    let messages = messages.as_array_mut().expect("messages");
    edit(messages, messages.iter().rposition(answers).expect("a result"));
    document.to_string()
}

/// A session with faults that occur: the last tool result is missing, or comes first, or is doubled, or its call is missing;
/// or a record is on the line of another, whole or truncated.
fn faults(session: &str) -> Vec<String> {
    if let Ok(document) = serde_json::from_str::<Value>(session) {
        let edits: [fn(&mut Vec<Value>, usize); 3] = [
            |messages, result| drop(messages.remove(result)),
            |messages, result| {
                let result = messages.remove(result);
                messages.insert(0, result);
            },
            // The call.
            |messages, result| drop(messages.remove(result - 1)),
        ];
        return edits.map(|edit| edit_messages(document.clone(), edit)).to_vec();
    }
    let lines: Vec<&str> = session.split_inclusive('\n').collect();
    let mut faults = Vec::new();
    if let Some(last) = lines.iter().rposition(|line| RESULTS.iter().any(|key| line.contains(key))) {
        let (before, result, after) = (&lines[..last], lines[last], &lines[last + 1..]);
        faults.push([before, after].concat().concat());
        faults.push([&before[..1], &[result], &before[1..], after].concat().concat());
        faults.push([before, &[result, result], after].concat().concat());
    }
    let (first, joined, rest) = (lines[..2].concat(), lines[2], lines[3..].concat());
    faults.push(format!("{first}{}{rest}", joined.trim_end()));
    faults.push(format!("{first}{}{rest}", joined.get(..joined.len() / 2).unwrap_or("{\"type\":\"us")));
    faults
}

#[test]
fn every_agent_whose_sessions_are_edited_gets_its_session_back() {
    for (agent, from, to, command) in EDITED {
        let (to, command) = (to.replace("{}", ID), command.replace("{}", ID));
        let session = sample(from);
        let home = Home::new();
        home.put(&to, session.as_bytes());
        let (code, healthy) = home.say(&["doctor", "--agents", agent]);
        assert!(code == Some(0) && healthy.contains("can be resumed: 1 session"), "{agent}: {healthy}");
        let mut repaired = 0;
        for fault in faults(&session) {
            let path = home.put(&to, fault.as_bytes());
            let (code, found) = home.say(&["doctor", "--agents", agent]);
            assert_eq!(fs::read_to_string(&path).expect("UTF-8"), fault, "{agent} was written without consent");
            if code == Some(0) {
                // The agent repairs it by itself.
                continue;
            }
            assert!(code == Some(1) && found.contains("Nothing was written"), "{agent}: {found}");
            let (code, done) = home.say(&["doctor", "--agents", agent, "--yes"]);
            let named = fs::read_dir(path.parent().expect("a folder")).expect("a folder").count();
            assert_eq!(named, 1, "{agent}: a backup is among its sessions");
            if code != Some(0) {
                continue;
            }
            repaired += 1;
            assert!(done.contains("Repaired. Backup: ~/.replaylint/backups/"), "{agent}: {done}");
            match command.is_empty() {
                true => assert!(done.contains("Resume it from the list of sessions in "), "{agent}: {done}"),
                false => assert!(done.contains("Resume it") && done.contains(&command), "{agent}: {done}"),
            }
            let (code, again) = home.say(&["doctor", "--agents", agent]);
            assert!(code == Some(0) && again.contains("can be resumed"), "{agent}: {again}");
            let (code, undone) = home.say(&["fix", "--undo", ".replaylint/backups"]);
            assert!(code == Some(0) && undone.contains("Restored: 1 file."), "{agent}: {undone}");
            assert_eq!(fs::read_to_string(&path).expect("UTF-8"), fault, "{agent}");
            assert!(home.files(".replaylint").is_empty(), "{agent}");
        }
        assert!(repaired > 0, "{agent}: nothing was repaired");
    }
}

#[test]
fn the_command_that_resumes_a_session_is_named_however_long_that_is() {
    let mut seen = Vec::new();
    for (agent, from, to, command) in EDITED.iter().filter(|(.., command)| !command.is_empty()) {
        let (to, command) = (to.replace("{}", ID), command.replace("{}", ID));
        let fault = faults(&sample(from)).swap_remove(1);
        let home = Home::new();
        let long = "x".repeat(2 << 20);
        // A long member of the first record: its first, or the last of its first object.
        for (bracket, with) in [('{', format!("{{\"zz\":\"{long}\",")), ('}', format!(",\"zz\":\"{long}\"}}"))] {
            home.put(&to, fault.replacen(bracket, &with, 1).as_bytes());
            let (code, done) = home.say(&["doctor", "--agents", agent, "--yes"]);
            if code == Some(0) && done.contains("Repaired.") {
                assert!(done.contains(&command), "{agent}: {done}");
                seen.push(*agent);
            }
        }
    }
    // The ids of these are in their files.
    assert!(["gemini-cli", "hermes"].iter().all(|agent| seen.contains(agent)) && seen.len() > 6, "{seen:?}");
}

#[test]
fn sessions_in_databases_are_repaired_in_their_rows() {
    let doubled = CALLS.replace(
        r#"{"type":"finish""#,
        r#"{"type":"tool_call","data":{"id":"t1","name":"ls","input":"{\"path\":\".\"}","provider_executed":false,"finished":true}},{"type":"finish""#,
    );
    let broken_crush = crush("anthropic", None, &[("user", ASKS), ("assistant", &doubled), ("tool", GIVES)]);
    let broken_opencode = opencode::with_a_part_that_is_not_json();
    let cases = [
        ("crush", &broken_crush, "app/.crush/crush.db", "crush --session s1"),
        ("opencode", &broken_opencode, ".local/share/opencode/opencode.db", "opencode -s ses_1"),
    ];
    for (agent, database, to, command) in cases {
        let home = Home::new();
        let bytes = fs::read(&database.path).expect("readable");
        let path = home.put(to, &bytes);
        let projects = serde_json::json!({"projects": [{"data_dir": home.path("app/.crush")}]});
        home.put(".local/share/crush/projects.json", projects.to_string().as_bytes());
        let (code, found) = home.say(&["doctor"]);
        assert!(code == Some(1) && found.contains("The session s"), "{agent}: {found}");
        let (code, done) = home.say(&["doctor", "--yes"]);
        assert!(code == Some(0) && done.contains(command), "{agent}: {done}");
        assert!(agent != "crush" || done.contains("/app && crush"), "{agent}: {done}");
        assert_eq!(home.say(&["doctor"]).0, Some(0), "{agent}");
        assert_eq!(home.files(to.rsplit_once('/').expect("a folder").0), [path.as_path()], "{agent}");
        let (code, undone) = home.say(&["fix", "--undo", to]);
        assert!(code == Some(0), "{agent}: {undone}");
        assert_eq!(home.say(&["doctor"]).0, Some(1), "{agent}");
    }
}

fn codex(n: usize, text: &str, id: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-09-18T09:31:00Z\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"{n}\",\"cli_version\":\"0.154.0\",\"model_provider\":\"openai\"}}}}\n\
         {{\"timestamp\":\"2026-09-18T09:31:01Z\",\"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\"id\":\"{id}\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":\"{text}\"}}]}}}}\n"
    )
}

/// Two broken sessions of Codex and one of Claude Code, the newest of all, and a healthy one.
fn mixed() -> Home {
    let home = Home::new();
    let rollout = |n: usize| format!(".codex/sessions/2026/09/18/rollout-2026-09-18T09-30-5{n}-{}.jsonl", id(n));
    for n in 5..=6 {
        let path = home.put(&rollout(n), codex(n, "canary", "review_1").as_bytes());
        let past = std::time::SystemTime::now() - std::time::Duration::from_secs(3600 * n as u64);
        fs::File::options().write(true).open(path).expect("open").set_modified(past).expect("set");
    }
    home.put(&rollout(7), codex(7, "canary", "msg_1").as_bytes());
    let lost = sample("claude-code/parallel.jsonl");
    home.put(&format!(".claude/projects/-w/{ID}.jsonl"), faults(&lost)[0].as_bytes());
    home
}

fn id(n: usize) -> String {
    format!("019f7000-0000-7000-8000-00000000000{n}")
}

#[test]
fn the_newest_broken_session_comes_first_and_the_others_are_listed() {
    let home = mixed();
    let (code, text) = home.say(&["doctor"]);
    assert_eq!(code, Some(1));
    assert!(text.starts_with("The session of Claude Code in ~/.claude/projects/-w/"), "{text}");
    assert!(text.contains("would lose 2 turns on resume: parentUuid"), "{text}");
    assert!(text.contains("Repairing it ") && text.contains("; nothing is lost."), "{text}");
    assert!(text.contains("2 other sessions are broken (Codex 2):"), "{text}");
    // Of the version that wrote it; nothing is known of the version of Codex.
    let client = "Claude Code 2.1.30 (it wrote 1 broken session) fails on RL660 phantom-parent: it loses everything before an \
                  entry with a missing parent. Mended in 2.1.91: update Claude Code.";
    assert!(text.contains(client) && !text.contains("Codex 0.154.0"), "{text}");
    let (newer, older) = (text.find(&id(5)), text.find(&id(6)));
    assert!(newer.is_some() && newer < older && !text.contains(&id(7)), "{text}");
    assert!(!text.contains("canary"), "{text}");
    let (code, text) = home.say(&["doctor", "--agents", "codex"]);
    assert!(code == Some(1) && text.contains("would be refused on resume: the id of message review_1"), "{text}");
    // A session is named by its id, by the name of its file, or by its path.
    for name in [id(6), format!("rollout-2026-09-18T09-30-56-{}.jsonl", id(6))] {
        let (code, text) = home.say(&["doctor", &name]);
        assert!(code == Some(1) && text.contains(&id(6)) && !text.contains("other"), "{text}");
    }
    let (code, text) = home.say(&["doctor", &id(7)]);
    assert!(code == Some(0) && text.contains(&format!("codex resume {}", id(7))), "{text}");
    let (code, text) = home.say(&["doctor", "unknown"]);
    assert!(code == Some(2) && text.contains("no session 'unknown'"), "{text}");
}

#[test]
fn a_session_that_was_just_modified_is_not_written() {
    let home = Home::new();
    let path = home.put(&format!(".claude/projects/-w/{ID}.jsonl"), b"");
    let fault = faults(&sample("claude-code/parallel.jsonl")).swap_remove(0);
    fs::write(&path, &fault).expect("written");
    let (code, text) = home.say(&["doctor", "--yes"]);
    assert!(code == Some(1) && text.contains("was modified in the last 10 seconds, so Claude Code may"), "{text}");
    let (code, text) = home.say(&["fix", "-w", "--agents"]);
    assert!(code == Some(1) && text.contains("Skipped 1 session, modified in the last 10 seconds"), "{text}");
    assert_eq!(fs::read_to_string(&path).expect("UTF-8"), fault);
    assert_eq!(home.say(&["doctor", "--yes", "--force"]).0, Some(0));
    let empty = Home::new();
    let (code, text) = empty.say(&["doctor"]);
    assert!(code == Some(2) && text.contains("no agent sessions found"), "{text}");
}

#[test]
fn a_numbered_rollout_is_repaired_in_a_copy() {
    let home = Home::new();
    let rollout = sample("../carry/paginated-twice.jsonl");
    let name = format!(".codex/sessions/2026/09/18/rollout-2026-09-18T09-30-54-{ID}.jsonl");
    let path = home.put(&name, rollout.as_bytes());
    let (code, text) = home.say(&["doctor", "--yes"]);
    assert!(code == Some(0) && text.contains("Repairing it in a copy with a new id"), "{text}");
    assert_eq!(fs::read_to_string(&path).expect("UTF-8"), rollout);
    let copy = home.files(".codex").into_iter().find(|file| *file != path).expect("a copy");
    let copy = copy.file_stem().expect("a name").to_string_lossy().into_owned();
    let new = copy.get(copy.len() - ID.len()..).expect("an id");
    assert!(text.ends_with(&format!("codex resume {new}")), "{text}");
    let (code, text) = home.say(&["doctor"]);
    assert!(code == Some(0) && text.contains("All sessions can be resumed: 2 sessions (Codex 2)."), "{text}");
    let (code, text) = home.say(&["doctor", ID]);
    assert!(code == Some(0) && text.contains("was repaired in a copy") && text.contains(new), "{text}");
}

#[test]
fn the_json_document_conforms_to_its_schema() {
    let schema = serde_json::from_str(include_str!("../../../schemas/doctor.v1.json")).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let home = mixed();
    let document = |args: &[&str]| -> Value {
        let output = home.run(&[&["doctor", "--output-format", "json"], args].concat());
        let document = serde_json::from_slice(&output.stdout).expect("JSON");
        let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}: {document:#}");
        document
    };
    let before = document(&[]);
    let faults_of = |agent: &str| {
        let agents = before["agents"].as_array().expect("a list");
        agents
            .iter()
            .find(|known| known["agent"] == agent)
            .map(|known| known["faults"].clone())
            .expect("the agent")
    };
    assert_eq!(faults_of("claude-code")[0]["mended"], "2.1.91");
    assert_eq!(faults_of("codex"), Value::Array(Vec::new()));
    let sessions = before["sessions"].as_array().expect("a list");
    assert_eq!(sessions.len(), 3);
    let first = &sessions[0];
    assert_eq!((&first["agent"], &first["turns_lost"]), (&"claude-code".into(), &2.into()));
    assert_eq!((&first["repaired"], &first["backup"]), (&false.into(), &Value::Null));
    assert_eq!(first["errors"][0]["rule"], "RL660");
    assert!(sessions.iter().all(|session| session["repair"]["errors_left"] == 0), "{before:#}");
    let after = document(&["--yes"]);
    let first = &after["sessions"][0];
    assert_eq!((&first["repaired"], &first["reason"]), (&true.into(), &Value::Null));
    assert!(first["backup"].as_str().is_some_and(|path| Path::new(path).is_file()), "{first:#}");
    assert_eq!(first["resume"], format!("cd /w/app && claude --resume {ID}"));
    document(&["--yes"]);
    document(&["--yes"]);
    assert_eq!(document(&[])["sessions"], Value::Array(Vec::new()));
}

#[test]
fn all_agents_are_repaired_with_one_folder_of_backups() {
    let home = mixed();
    let before: Vec<(PathBuf, Vec<u8>)> = [".codex", ".claude"]
        .iter()
        .flat_map(|below| home.files(below))
        .map(|path| (path.clone(), fs::read(path).expect("readable")))
        .collect();
    let same = || before.iter().filter(|(path, old)| fs::read(path).expect("readable") == *old).count();
    // Files of other kinds are in these folders, too.
    let other = home.put(".claude/projects/-w/tool-results/1.json", crate::source::writing::BROKEN.as_bytes());
    let (code, text) = home.say(&["fix", "--agents"]);
    assert!(code == Some(1) && text.contains("Would fix 3 sessions: Codex 2, Claude Code 1."), "{text}");
    assert!(text.ends_with("Run `replaylint fix -w --agents`."), "{text}");
    assert_eq!(same(), before.len());
    let (code, text) = home.say(&["fix", "-w", "--agents"]);
    assert!(code == Some(0) && text.contains("Fixed 3 sessions: Codex 2, Claude Code 1."), "{text}");
    assert_eq!(same(), before.len() - 3);
    assert_eq!(fs::read_to_string(&other).expect("UTF-8"), crate::source::writing::BROKEN);
    assert_eq!(home.files(".codex").len() + home.files(".claude").len(), before.len() + 1);
    let folder = text.rsplit_once("replaylint fix --undo ~/").expect("a command").1;
    assert_eq!(home.files(folder).len(), 6, "three backups, and their journals: {text}");
    assert_eq!(home.say(&["check", "--agents"]).0, Some(0));
    // One file, then the others.
    let (code, text) = home.say(&["fix", "--undo", &before[0].0.to_string_lossy()]);
    assert!(code == Some(0) && text.contains("Restored: 1 file."), "{text}");
    let (code, text) = home.say(&["fix", "--undo", folder]);
    assert!(code == Some(0) && text.contains("Restored: 2 files."), "{text}");
    assert_eq!((same(), home.files(".replaylint").len()), (before.len(), 0));
    assert!(!home.path(folder).exists());
}

/// Backups below `$XDG_STATE_HOME`, and a file that has changed since.
#[test]
fn a_session_that_went_on_is_not_restored() {
    let home = mixed();
    let (code, text) = home.say(&["fix", "-w", "--agents", "claude-code"]);
    assert!(code == Some(0) && text.contains("Claude Code 1"), "{text}");
    let path = home.path(&format!(".claude/projects/-w/{ID}.jsonl"));
    let mut longer = fs::read(&path).expect("readable");
    longer.extend_from_slice(b"{}\n");
    fs::write(&path, &longer).expect("written");
    for target in [path.to_string_lossy().into_owned(), ".replaylint/backups".to_owned()] {
        let (code, text) = home.say(&["fix", "--undo", &target]);
        assert!(code == Some(2) && text.contains("changed since the fix; nothing was restored"), "{text}");
    }
    assert_eq!(fs::read(&path).expect("readable"), longer);
}

/// The column of the table of agents.
fn resume_cell(resume: &Resume) -> String {
    use replaylint::internals::carry::ResumeFolder;
    use replaylint::internals::format::agent::SessionIdSource as Id;
    let Resume::Command { command, id } = resume else { return "from its list".to_owned() };
    let place = match command.folder {
        ResumeFolder::Any => "",
        ResumeFolder::Session => ", in the working directory of the session",
        ResumeFolder::Project(_) | ResumeFolder::AboveStore(_) => ", in the folder of the project",
    };
    let id = match id {
        _ if !command.needs_id() => "",
        Id::FileName => "; the id is the file name",
        Id::FileNameEnd => "; the id ends the file name",
        Id::Folder(1) => "; the id is the name of its folder",
        Id::Folder(_) => "; the id is the name of the session's folder",
        Id::Header(_) => "; the id is in the first record",
        Id::Key => "",
    };
    format!("`{}`{place}{id}", command.template())
}

#[test]
fn the_page_says_how_each_agent_resumes_a_session() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md");
    let page = fs::read_to_string(&path).expect("a page");
    let start = page.find("| agent | sessions | resume |").expect("the table");
    let end = start + page[start..].find("\n\n").expect("its end");
    let mut rows: Vec<String> = page[start..end].lines().map(str::to_owned).collect();
    let mut listed = Vec::new();
    for row in rows.iter_mut().skip(2) {
        let name = row.trim_start_matches("| ").split(" |").next().expect("a name").to_owned();
        let own = AGENTS.iter().filter(|agent| name.starts_with(agent.name));
        let agent = own.max_by_key(|agent| agent.name.len()).unwrap_or_else(|| panic!("no agent {name}"));
        let (rest, _) = row.trim_end_matches(" |").rsplit_once(" | ").expect("cells");
        *row = format!("{rest} | {} |", resume_cell(&agent.resume));
        listed.push(agent.id);
    }
    let written = format!("{}{}{}", &page[..start], rows.join("\n"), &page[end..]);
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(path, written).expect("written");
        return;
    }
    assert!(written == page, "docs/agents.md: UPDATE_README=1 cargo test writes the column anew");
    let missing: Vec<&str> = AGENTS
        .iter()
        .filter(|agent| agent.has_folders())
        .map(|agent| agent.id)
        .filter(|id| !listed.contains(id))
        .collect();
    assert!(missing.is_empty(), "docs/agents.md lacks {missing:?}");
}
