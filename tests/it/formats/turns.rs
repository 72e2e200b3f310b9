//! The turns of every sample: how many `tree` prints, how many of them it calls answered, and their first words.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::history::time;
use replaylint::internals::judge::Options;
use replaylint::internals::place::DocId;
use replaylint::internals::rebuild::{ChainOptions, Conversation};
use replaylint::internals::report::tree::{OUTPUTS, view};
use replaylint::internals::source::Doc;
use serde_json::Value;

use crate::support::STYLE;

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats")
}

/// The conversations of a file as `tree --output-format json` prints them.
fn printed(path: &Path, show_content: bool) -> Vec<Value> {
    let now = time::parse("2026-06-01T10:30:00Z").expect("a time");
    let (options, chain) = (Options::default(), ChainOptions { now, ..ChainOptions::default() });
    let doc = Doc::of_bytes(DocId(0), "case", fs::read(path).expect("a sample"));
    let all = Conversation::read(vec![doc], |_| &options).expect("memory reads");
    let views: Vec<_> = all.iter().map(|conversation| view(conversation, &chain, show_content)).collect();
    let (_, print) = OUTPUTS.iter().find(|(name, _)| *name == "json").expect("an output");
    let mut out = Vec::new();
    print(&views, &[], &STYLE, &mut out).expect("memory writes");
    let report: Value = serde_json::from_slice(&out).expect("JSON");
    report["conversations"].as_array().expect("a list").clone()
}

fn turns(conversations: &[Value]) -> impl Iterator<Item = &Value> {
    conversations.iter().flat_map(|conversation| conversation["turns"].as_array().expect("a list"))
}

#[test]
fn each_sample_has_its_turns() {
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    for folder in fs::read_dir(samples()).expect("testdata").flatten().filter(|f| f.file_name() != "snapshots") {
        for file in fs::read_dir(folder.path()).expect("a folder").flatten() {
            let name = format!("{}/{}", folder.file_name().display(), file.file_name().display());
            files.insert(name, file.path());
        }
    }
    let table = fs::read_to_string(samples().with_file_name("turns.toml")).expect("a table");
    let table: BTreeMap<String, BTreeMap<String, [usize; 2]>> = toml::from_str(&table).expect("TOML");
    let mut wrong = Vec::new();
    for (folder, expected) in &table {
        for (name, [count, answered]) in expected {
            let name = format!("{folder}/{name}");
            let Some(path) = files.remove(&name) else {
                wrong.push(format!("{name} is not there"));
                continue;
            };
            let conversations = printed(&path, false);
            let found = turns(&conversations).count();
            let marked = turns(&conversations).filter(|turn| turn["answered"] == true).count();
            let counted: u64 =
                conversations.iter().filter_map(|conversation| conversation["answered"].as_u64()).sum();
            if (found, marked, counted) != (*count, *answered, *answered as u64) {
                wrong.push(format!("{name}: {found} turns, {marked} answered, {counted} in the heading"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(files.is_empty(), "not in the table: {:?}", files.keys());
}

/// The first words of each turn of a file.
const WORDS: &[(&str, &[&str])] = &[
    ("amplifier-session/rich.jsonl", &["Which bird is this?", "And its nest?"]),
    ("antigravity/rich.jsonl", &["Draw a lighthouse"]),
    ("claude-code/rich.jsonl", &["How old is the quarry?", "Which stone is this?", "Just tell me."]),
    ("cline-session/task.json", &["list files"]),
    ("coder-chat/rich.json", &["Is the pond full?"]),
    ("coder-chat/v0.json", &["hi", "again"]),
    ("codex-exec-json/run.jsonl", &["-"]),
    ("codex-rollout/2025-08-bare.jsonl", &["list files"]),
    ("copilot-cli/session.jsonl", &["List the files.", "-"]),
    ("cursor-session/transcript.jsonl", &["list"]),
    ("gemini-cli/session.jsonl", &["List files.", "Thanks"]),
    ("kimi-session/compacted.jsonl", &["Go on"]),
    ("pi-session/rich.jsonl", &["And the lake?", "Can one wade here?", "Thanks."]),
    ("qwen-code/rewound.jsonl", &["List files.", "Only the first."]),
    ("responses-exchange/text-body.json", &["café \"a\""]),
];

#[test]
fn turns_begin_with_the_words_of_the_user() {
    for (name, expected) in WORDS {
        let path = samples().join(name);
        let says = |show_content| -> Vec<String> {
            let conversations = printed(&path, show_content);
            turns(&conversations).map(|turn| turn["says"].as_str().unwrap_or("-").to_owned()).collect()
        };
        assert_eq!(says(true), *expected, "{name}");
        let masked = says(false);
        assert_eq!(masked.len(), expected.len());
        let is_masked = |says: &String| says == "-" || says.starts_with("… (") && says.ends_with("chars)");
        assert!(masked.iter().all(is_masked), "{name}: {masked:?}");
    }
}
