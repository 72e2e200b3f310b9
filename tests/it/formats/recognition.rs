//! Unrecognised files are not touched, and never called clean: files of other programs are unknown and named by what they
//! look like; each file that is read is claimed by its own format; and no repair of the corpus damages a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::format::{EditSupport, MIN_DISTINCTIVE_SCORE, Probe};
use replaylint::internals::formats::{self, FORMATS};
use replaylint::internals::json::{Tape, scan};
use replaylint::internals::judge::{self, FindingsOnly, Options};
use replaylint::internals::read::detect;
use replaylint::internals::repair::{FixOptions, LengthOptions, Orphans, Reasoning};
use serde::Deserialize;

use crate::rules::corpus::{corpus, manifest};
use crate::support::{DOC, diagnostics, growable_text, repair};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnreadFiles {
    file: Vec<UnreadFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnreadFile {
    name: String,
    /// The name in the finding; empty if the file looks like nothing known.
    looks: String,
    text: String,
}

fn unread() -> Vec<UnreadFile> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/unread.toml");
    let all: UnreadFiles = toml::from_str(&fs::read_to_string(path).expect("testdata")).expect("TOML");
    all.file
}

#[test]
fn what_no_format_reads_is_named_and_left_alone() {
    for file in unread() {
        let text = file.text.trim_start_matches('\n').as_bytes();
        let found = diagnostics(text, &Options::default());
        let name = &file.name;
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(found[0].rule.0, 4, "{name}: {}", found[0].message);
        let message = &found[0].message;
        let named = if file.looks.is_empty() {
            message.starts_with("unknown format")
                || message.starts_with("text that is neither")
                || message.starts_with("event stream without")
                || message.starts_with("not a text file")
        } else {
            message.contains(&file.looks)
        };
        assert!(named, "{name}: {message}");
        let everything = FixOptions { warnings: true, reasoning: Reasoning::Strip, ..FixOptions::default() };
        for wanted in [FixOptions::default(), FixOptions { orphans: Orphans::Stub, ..everything }] {
            assert!(repair(text, &Options::default(), &wanted).fixed.patch.is_empty(), "{name} was edited");
        }
    }
}

/// Pairs of formats whose documents may look the same: the first wins.
const OVERLAPS: &[(&str, &str)] = &[
    // The messages of a sample have the roles of Chat Completions; the members around them identify the format.
    ("inspect-log", "chat-request"),
    // A body with only roles and texts.
    ("anthropic-request", "chat-request"),
    ("chat-request", "anthropic-request"),
    ("chat-training", "anthropic-request"),
    ("bedrock-request", "chat-request"),
    ("chat-training", "chat-request"),
    // A list of roles and texts.
    ("responses-items", "chat-request"),
    ("anthropic-request", "responses-items"),
    ("chat-request", "responses-items"),
    ("bedrock-request", "responses-items"),
    // One item may be all of a document.
    ("responses-item-lines", "codex-rollout"),
    ("codex-rollout", "responses-item-lines"),
    // Its reasoning is stored as an item.
    ("grok-cli", "codex-rollout"),
    ("grok-cli", "responses-item-lines"),
    ("coder-chat", "chat-request"),
    ("coder-chat", "responses-items"),
    ("coder-chat-lines", "responses-item-lines"),
    ("coder-chat-lines", "codex-rollout"),
    // A line is a role, its text, and a time.
    ("amplifier-session", "responses-item-lines"),
    ("amplifier-session", "codex-rollout"),
    // Its messages are lines with a role and a content.
    ("kimi-cli", "responses-item-lines"),
    ("kimi-cli", "codex-rollout"),
    // Texts with the tags of a client are a list of roles and texts.
    ("cline-session", "chat-request"),
    // A request and its answer.
    ("bedrock-exchange", "chat-exchange"),
    ("bedrock-exchange", "bedrock-response"),
    ("chat-exchange", "responses-exchange"),
    ("gemini-exchange", "gemini-response"),
    // A chunk is a response without its end.
    ("gemini-response", "gemini-stream"),
    ("gemini-stream", "gemini-response"),
    ("responses-exchange", "chat-exchange"),
    ("anthropic-batch", "chat-exchange"),
    // Kode writes the same lines as Claude Code; the higher score decides.
    ("claude-code", "kode-session"),
    ("kode-session", "claude-code"),
];

#[test]
fn each_file_is_claimed_by_its_own_format() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let (mut files, mut strange) = (0, Vec::new());
    for folder in fs::read_dir(root).expect("testdata").flatten().map(|entry| entry.path()) {
        let own = folder.file_name().expect("a name").to_string_lossy().into_owned();
        if own == "snapshots" {
            continue;
        }
        for path in fs::read_dir(folder).expect("testdata").flatten().map(|entry| entry.path()) {
            files += 1;
            if path.to_string_lossy().contains("mixed") {
                // It has records of several formats.
                continue;
            }
            let text = fs::read(&path).expect("readable");
            for other in claims(&text).into_iter().filter(|name| *name != own) {
                if !OVERLAPS.contains(&(&own, other)) {
                    strange.push(format!("{} is claimed by {other}", path.display()));
                }
            }
        }
    }
    assert!(files > 90, "{files} files");
    assert!(strange.is_empty(), "{}", strange.join("\n"));
}

#[test]
fn a_store_that_is_not_edited_stays_so_after_a_broken_line() {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let everything = FixOptions {
        warnings: true,
        reasoning: Reasoning::Strip,
        orphans: Orphans::Stub,
        length: LengthOptions { max_tokens: Some(1), ..LengthOptions::default() },
        ..FixOptions::default()
    };
    let mut files = 0;
    for entry in walkdir::WalkDir::new(formats).sort_by_file_name().into_iter().flatten() {
        let Ok(text) = fs::read(entry.path()) else { continue };
        for first in ["{\"type\":\"assis\n", "{\"lost\":true}\n", "data: {\"lost\":true}\n\n", ""] {
            let text = [first.as_bytes(), &text[..]].concat();
            let Ok(judged) = judge::judge(DOC, &growable_text(&text), &Options::default(), 1, &FindingsOnly)
            else {
                continue;
            };
            if judged.format.is_some_and(|format| format.info().edit_support == EditSupport::Unsupported) {
                let changes = repair(&text, &Options::default(), &everything).fixed.changes;
                let of_items: Vec<_> = changes.iter().filter(|change| change.history.is_some()).collect();
                assert!(of_items.is_empty(), "{}, after {first:?}: {of_items:?}", entry.path().display());
                files += 1;
            }
        }
    }
    assert!(files > 30, "{files} files");
}

/// The formats that claim the document, or a record that is a document by itself.
fn claims(text: &[u8]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> =
        claims_of_records(text, MIN_DISTINCTIVE_SCORE).into_iter().flatten().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// For each record the formats that have at least this score.
fn claims_of_records(text: &[u8], least: u8) -> Vec<Vec<&'static str>> {
    let mut tape = Tape::new();
    let mut names = Vec::new();
    let whole = text.trim_ascii();
    let records: Vec<&[u8]> = match scan(whole, &mut tape) {
        Ok(()) => vec![whole],
        Err(_) => text.split(|b| *b == b'\n').collect(),
    };
    for record in records {
        let record = record.strip_prefix(b"data:").unwrap_or(record).trim_ascii();
        if scan(record, &mut tape).is_err() {
            continue;
        }
        let Some(root) = tape.root(record) else { continue };
        let probe = Probe::new(root);
        let asked = formats::candidates(&probe);
        if asked.len() < FORMATS.len() {
            let others = FORMATS.iter().enumerate().filter(|(n, _)| !asked.contains(n));
            let knowing =
                others.filter(|(_, other)| other.detect(&probe) > 0 || other.info().is_plausible(&probe));
            let names: Vec<_> = knowing.map(|(_, other)| other.info().name).collect();
            assert!(names.is_empty(), "{names:?} would be asked: {}", String::from_utf8_lossy(record));
        }
        let claiming = FORMATS.iter().filter(|format| format.detect(&probe) >= least);
        names.push(claiming.map(|format| format.info().name).collect());
    }
    names
}

#[test]
fn no_record_belongs_to_two_formats_with_certainty() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let (mut records, mut sure, mut shared) = (0, BTreeSet::new(), Vec::new());
    for root in [Some(testdata), corpus()].into_iter().flatten() {
        for entry in walkdir::WalkDir::new(root).sort_by_file_name().into_iter().flatten() {
            if !entry.file_type().is_file() {
                continue;
            }
            let text = fs::read(entry.path()).expect("readable");
            for names in claims_of_records(&text, detect::SURE) {
                records += names.len();
                match names.as_slice() {
                    [] => {}
                    [name] => drop(sure.insert(*name)),
                    several => shared.push(format!("{}: {several:?}", entry.path().display())),
                }
            }
        }
    }
    shared.dedup();
    assert!(shared.is_empty(), "{}", shared.join("\n"));
    assert!(records > 500 && sure.len() > 20, "{records} records of {sure:?}");
}

/// Orders of lines of two formats: a capital letter is a line that only that format has, a small one another line of it.
const MIXED: [&str; 16] = [
    "A",
    "AB",
    "AAB",
    "ABB",
    "Aa",
    "AAAB",
    "AABB",
    "ABBB",
    "aAAA",
    "AaAa",
    "AaAaA",
    "AaaAA",
    "AABBB",
    "AAABB",
    "AaBBB",
    "AAaaBBBBB",
];

#[test]
fn the_format_of_lines_does_not_depend_on_what_was_read_before() {
    // The format that was certain last is asked first, in each thread.
    let name = |text: &[u8]| match detect::of_lines(text) {
        Some(detect::RecordReading::Format(format)) => format.info().name,
        Some(detect::RecordReading::Each) => "a history each",
        Some(detect::RecordReading::Document) | None => "",
    };
    // Lines of each format: one that only it has, and another one.
    let mut lines: BTreeMap<&str, [Option<Vec<u8>>; 2]> = BTreeMap::new();
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    for entry in walkdir::WalkDir::new(testdata).sort_by_file_name().into_iter().flatten() {
        if entry.path().extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let text = fs::read(entry.path()).expect("readable");
        for line in text.split(|b| *b == b'\n').filter(|line| line.len() < 4 << 10) {
            let (format, n) = match claims_of_records(line, detect::SURE).first().map(Vec::as_slice) {
                Some([sure]) => (*sure, 0),
                Some(_) => (name(&text), 1),
                None => continue,
            };
            lines.entry(format).or_default()[n].get_or_insert_with(|| line.to_vec());
        }
    }
    lines.retain(|_, [sure, _]| sure.is_some());
    assert!(lines.len() > 10, "{:?}", lines.keys());
    for (one, of_one) in &lines {
        for (other, of_other) in lines.iter().filter(|(other, _)| *other != one) {
            for order in MIXED {
                let line = |letter: char| match letter {
                    'A' => of_one[0].as_deref(),
                    'a' => of_one[1].as_deref(),
                    _ => of_other[0].as_deref(),
                };
                let Some(text) = order.chars().map(line).collect::<Option<Vec<_>>>() else { continue };
                let text = text.join(&b'\n');
                let alone = std::thread::scope(|scope| scope.spawn(|| name(&text)).join().expect("no panic"));
                for before in [of_one, of_other] {
                    name(before[0].as_deref().expect("a line"));
                    assert_eq!(name(&text), alone, "{order} of {one} and {other}, after one of them");
                }
            }
        }
    }
}

/// Formats of the corpus, and the formats that read their files. Files of other formats are not read.
const READ: &[(&str, &[&str])] = &[
    ("ag2-events", &["ag2-events", "ag2-log"]),
    ("anthropic-messages", &["anthropic-request", "anthropic-message", "anthropic-stream", "chat-request"]),
    ("bedrock-converse", &["bedrock-request", "bedrock-response"]),
    ("claude-code", &["claude-code", "kode-session"]),
    ("codex-rollout", &["codex-rollout", "codex-session", "responses-item-lines"]),
    ("gemini-contents", &["gemini-request", "gemini-response", "gemini-stream"]),
    ("kode", &["kode-session"]),
    ("openai-agents-session", &["responses-items"]),
    ("openai-agents-runstate", &["agents-run-state", "agents-js-state"]),
    ("openai-chat", &["chat-request", "chat-completion", "chat-page", "chat-stream"]),
    ("openai-responses", &["responses-request", "responses-object", "responses-stream", "responses-page"]),
    ("openai-responses-compact", &["responses-request", "responses-object"]),
    ("cline", &["cline-session", "roo-task"]),
    ("gemini-cli", &["gemini-cli"]),
    ("qwen", &["qwen-code"]),
    ("copilot-cli", &["copilot-cli"]),
    ("langchain-messages", &["langchain-messages"]),
    ("langgraph-checkpoint", &["langgraph-state"]),
    ("pydantic-ai-messages", &["pydantic-ai-messages"]),
    ("codex-exec-json", &["codex-exec-json"]),
    ("gemini-cli-responses", &["gemini-recording"]),
    ("openhands", &["openhands"]),
    ("inspect-ai", &["inspect-log"]),
    // A list of roles and texts, or a body without distinctive members, is the same in both.
    ("ollama-chat", &["ollama-request", "ollama-response", "chat-request"]),
    ("coder-chat", &["coder-chat", "coder-chat-lines"]),
    ("iterate", &["iterate-stream"]),
    ("openai-batch", &["responses-batch", "chat-batch"]),
    // Parts and messages in separate files are no conversation.
    ("opencode", &["opencode-export"]),
    ("goose", &["goose-session"]),
    ("google-adk", &["google-adk"]),
    ("pi-session", &["pi-session"]),
    ("openclaw", &["pi-session"]),
    ("factory-droid", &["droid-session"]),
    ("kimi", &["kimi-session"]),
    // Observers of Hermes write trajectories of its sessions.
    ("hermes", &["hermes-session", "atif-trajectory"]),
    ("grok-cli", &["grok-cli"]),
    ("antigravity-cli", &["antigravity"]),
    ("cursor", &["cursor-session"]),
    ("litellm-logs", &["litellm-log"]),
    ("langfuse", &["langfuse"]),
    ("chatgpt-export", &["chatgpt-export"]),
    ("claude-ai-export", &["claude-ai-export"]),
    ("google-aistudio", &["ai-studio"]),
    ("grok-export", &["grok-export"]),
    ("vercel-ai", &["vercel-ui-messages", "vercel-model-messages"]),
];

#[test]
fn the_corpus_is_read_by_its_own_formats_or_not_at_all() {
    let Some(root) = corpus() else { return };
    let rows = manifest(&root);
    let (mut wrong, mut counts) = (Vec::new(), BTreeMap::new());
    for row in &rows {
        let Ok(text) = fs::read(root.join(&row.path)) else { continue };
        let found =
            judge::judge(DOC, &growable_text(&text), &Options::default(), 1, &FindingsOnly).expect("memory reads");
        let name = found.format.map(|format| format.info().name);
        *counts.entry((row.format.clone(), name.unwrap_or("unknown"))).or_insert(0) += 1;
        let own = READ.iter().find(|(format, _)| *format == row.format).map_or(&[][..], |(_, own)| own);
        if name.is_some_and(|name| !own.contains(&name)) {
            wrong.push(format!("{} is read as {}", row.path, name.unwrap_or_default()));
        }
    }
    for ((format, name), count) in &counts {
        println!("{format}: {count} {name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_repair_of_the_whole_corpus_damages_nothing() {
    let Some(root) = corpus() else { return };
    let rows = manifest(&root);
    let folder = tempfile::tempdir().expect("a folder");
    let copied = |n: usize, path: &Path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        folder.path().join(format!("{n}")).join(&*name)
    };
    let mut files: Vec<(usize, PathBuf, bool)> = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let to = copied(n, Path::new(&row.path));
        fs::create_dir_all(to.parent().expect("a folder")).expect("written");
        if fs::copy(root.join(&row.path), &to).is_ok() {
            files.push((n, to, READ.iter().any(|(format, _)| *format == row.format)));
        }
    }
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(["fix", "-w", "--force", "--no-backup", "--quiet", "--fix-warnings"])
        .arg(folder.path())
        .output()
        .expect("it runs");
    assert!(run.status.code().is_some_and(|code| code < 3), "{}", String::from_utf8_lossy(&run.stderr));
    let (mut changed, mut wrong) = (0, Vec::new());
    for (n, path, is_read) in &files {
        let original = &rows[*n].path;
        let (before, after) =
            (fs::read(root.join(original)).expect("readable"), fs::read(path).expect("readable"));
        if before == after {
            continue;
        }
        changed += 1;
        let format = |text: &Vec<u8>| {
            let found = judge::judge(DOC, &growable_text(text), &Options::default(), 1, &FindingsOnly)
                .expect("memory reads");
            found.format.map(|format| format.info().name)
        };
        if !is_read || after.trim_ascii().is_empty() || format(&before) != format(&after) {
            wrong.push(format!("{}: {:?} became {:?}", original, format(&before), format(&after)));
        }
    }
    println!("{changed} of {} files repaired", files.len());
    assert!(changed > 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bodies of roles and texts, and their formats: without a target, and for each target.
#[test]
fn a_body_of_roles_and_texts_is_recognised_by_its_members_and_its_model() {
    let messages = r#""messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"},{"role":"user","content":"?"}]"#;
    let own = "anthropic-request";
    let chat = "chat-request";
    for (body, read_as, for_chat) in [
        (r#"{"model":"claude-sonnet-4-5","max_tokens":9,MESSAGES}"#, own, chat),
        (r#"{MESSAGES, "max_tokens": 9, "model": "claude-sonnet-4-5"}"#, own, chat),
        // As in Anthropic's documentation, with an unknown model.
        (r#"{"model": "my-model", "max_tokens": 9, MESSAGES}"#, own, chat),
        // As `convert` writes it.
        (r#"{"model":"gpt-5","max_tokens":4096,MESSAGES}"#, own, chat),
        (r#"{"max_tokens":4096,MESSAGES}"#, own, chat),
        // As clients of Chat do.
        (r#"{"model": "gpt-4o", "max_tokens": 9, MESSAGES}"#, chat, chat),
        (r#"{"model": "deepseek-chat", "max_tokens": 9, MESSAGES}"#, chat, chat),
        (r#"{"model": "anthropic/claude-sonnet-4.5", "max_tokens": 9, MESSAGES}"#, chat, chat),
        (r#"{"model": "my-model", MESSAGES, "max_tokens": 9}"#, chat, chat),
        (r#"{"model": "my-model", MESSAGES}"#, chat, chat),
    ] {
        let body = body.replace("MESSAGES", messages);
        assert_eq!(read_for(&body, None), Some(read_as), "{body}");
        assert_eq!(read_for(&body, Some("anthropic")), Some(own), "{body}");
        assert_eq!(read_for(&body, Some("chat")), Some(for_chat), "{body}");
    }
    // A member, a role or a tool of Chat Completions decides.
    for member in [
        r#""stop":"x""#,
        r#""n":1"#,
        r#""seed":1"#,
        r#""response_format":{"type":"text"}"#,
        r#""tool_choice":"auto""#,
    ] {
        for model in ["claude-sonnet-4-5", "my-model"] {
            let body = format!(r#"{{"model":"{model}","max_tokens":9,{member},{messages}}}"#);
            let expected = if member.contains("tool_choice") && model == "claude-sonnet-4-5" { own } else { chat };
            assert_eq!(read_for(&body, None), Some(expected), "{body}");
        }
    }
    let system = r#"{"model":"my-model","max_tokens":9,"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}]}"#;
    assert_eq!(read_for(system, None), Some(chat));
    assert_eq!(read_for(system, Some("anthropic")), Some(chat));
}

fn read_for(body: &str, target: Option<&str>) -> Option<&'static str> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("body.json");
    fs::write(&path, body).expect("written");
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_replaylint"));
    run.args(["check", "--isolated", "--output-format", "json"]).arg(&path);
    run.args(target.into_iter().flat_map(|target| ["--target", target]));
    let out = run.output().expect("it runs");
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let name = report["inputs"][0]["format"].as_str().expect("a format").to_owned();
    FORMATS.iter().map(|format| format.info().name).find(|own| *own == name)
}

/// Requests that `convert` writes for Anthropic are read as such, for all sources and models.
#[test]
fn converted_texts_are_read_as_what_they_were_converted_to() {
    let texts = ["Hi", "Ho", "?", "", "a \\n b"];
    let mut seen = 0;
    for model in [
        "gpt-5",
        "gpt-4o",
        "o3",
        "deepseek-chat",
        "mistral-small-latest",
        "openai/gpt-4o",
        "my-model",
        "claude-sonnet-4-5",
    ] {
        for len in 1..=3 {
            let message = |n: usize| {
                let role = if n.is_multiple_of(2) { "user" } else { "assistant" };
                format!(r#"{{"role":"{role}","content":"{}"}}"#, texts[n])
            };
            let list = (0..len).map(message).collect::<Vec<_>>().join(",");
            for body in [
                format!(r#"{{"model":"{model}","input":[{list}]}}"#),
                format!(r#"{{"model":"{model}","messages":[{list}]}}"#),
                format!(
                    r#"{{"model":"{model}","messages":[{list}],"max_tokens":77,"temperature":0.5,"stream":true}}"#
                ),
            ] {
                let plan = crate::convert::cases::plan("anthropic");
                let (out, done) = crate::convert::cases::convert_text(body.as_bytes(), &Options::default(), plan);
                // Some models reject a conversation that ends with the assistant.
                if done.converted == 0 {
                    continue;
                }
                let found = judge::judge(DOC, &growable_text(&out), &Options::default(), 1, &FindingsOnly)
                    .expect("memory reads");
                let name = found.format.map(|format| format.info().name);
                assert_eq!(name, Some("anthropic-request"), "{}", String::from_utf8_lossy(&out));
                seen += 1;
            }
        }
    }
    assert!(seen >= 48, "{seen} conversions");
}
