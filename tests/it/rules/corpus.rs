//! Real files and real recorded requests with the provider's answer, if a corpus of them lies beside the checkout (or
//! where `REPLAYLINT_CORPUS` says).

use std::fs;
use std::path::PathBuf;

use replaylint::internals::history::PairState;
use replaylint::internals::judge::{self, Case, OnHistory, Options};
use replaylint::internals::source::{Doc, Input, Opening};
use replaylint::internals::target::Severity;
use replaylint::internals::targets;
use serde_json::Value;

use crate::support::{DOC, check, diagnostics};

pub struct Recorded {
    pub path: String,
    pub format: String,
    pub kind: String,
    pub provider: String,
    pub url: String,
    pub gold: String,
    pub history_related: bool,
    pub api_error: Option<String>,
}

/// Where the corpus lies, if it is there.
pub fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let root = std::env::var_os("REPLAYLINT_CORPUS").map_or(beside, PathBuf::from);
    let there = root.join("manifest.jsonl").is_file();
    if !there {
        println!("no corpus beside the checkout: skipped");
    }
    there.then_some(root)
}

pub fn manifest(root: &std::path::Path) -> Vec<Recorded> {
    let text = fs::read_to_string(root.join("manifest.jsonl")).expect("a manifest");
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a row");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        Recorded {
            path: text("path"),
            format: text("format"),
            kind: text("kind"),
            provider: text("provider"),
            url: text("url"),
            gold: text("gold"),
            history_related: row["history_related"].as_bool().unwrap_or(false),
            api_error: row["api_error"].as_str().map(str::to_owned),
        }
    };
    text.lines().map(row).collect()
}

/// The target that a provider of the Responses API is.
pub fn responses_target(provider: &str) -> &'static str {
    match provider {
        "azure-openai" => "azure",
        "chatgpt-codex-backend" => "codex",
        "deepseek" => "deepseek",
        // It mints ids of its own.
        "openrouter" => "openai-compatible",
        _ => "openai",
    }
}

/// Recorded requests of the Responses API, with the target that their provider is.
pub fn responses(root: &std::path::Path) -> Vec<(Recorded, Options)> {
    let rows = manifest(root).into_iter();
    let requests = rows.filter(|row| row.format.starts_with("openai-responses") && !row.gold.is_empty());
    let with_target = |row: Recorded| {
        let target = responses_target(&row.provider);
        (row, Options { target: targets::by_name(target), ..Options::default() })
    };
    requests.map(with_target).collect()
}

/// The target that a host of Chat Completions is.
pub fn chat_target(host: &str) -> &'static str {
    match host {
        "openai" | "azure-openai" => "chat",
        "deepseek" => "deepseek-chat",
        "xai" => "xai-chat",
        "api.groq.com" => "groq",
        "api.cerebras.ai" => "cerebras",
        "openrouter" => "openrouter",
        "api.z.ai" => "glm",
        "api.minimax.io" => "minimax",
        // Ollama's own host, and the port that its local server listens on.
        "ollama.com" | "localhost:11434" => "ollama",
        // The ports of llama.cpp and of vLLM.
        "localhost:8080" => "llamacpp",
        "localhost:8000" => "vllm",
        host if host.contains("mistral") => "mistral",
        _ => "chat-compatible",
    }
}

/// Recorded requests of Chat Completions, with the target that their host is.
pub fn chats(root: &std::path::Path) -> Vec<(Recorded, Options)> {
    let rows = manifest(root).into_iter();
    let requests = rows.filter(|row| row.format == "openai-chat" && !row.gold.is_empty());
    let with_target = |row: Recorded| {
        let target = chat_target(&row.provider);
        (row, Options { target: targets::by_name(target), ..Options::default() })
    };
    requests.map(with_target).collect()
}

#[test]
fn recorded_completions_are_read_and_have_no_errors() {
    let Some(root) = corpus() else { return };
    let mut read = 0;
    for row in manifest(&root).into_iter().filter(|row| row.format == "openai-chat" && row.kind == "response") {
        let text = fs::read(root.join(&row.path)).expect("readable");
        let format = check(&text, &Options::default()).format.map(|format| format.info().name);
        assert_eq!(format, Some("chat-completion"), "{}", row.path);
        let found = diagnostics(&text, &Options::default());
        let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", row.path);
        read += 1;
    }
    println!("recorded completions: {read}");
    assert!(read > 100);
}

/// Counts the items and the answered calls of each history.
struct Count;

impl OnHistory for Count {
    type Made = (usize, usize, usize);

    fn history(&self, case: &Case<'_>) -> Option<Self::Made> {
        let Case { cx, judged, .. } = *case;
        let answered = cx.history.pairs.iter().filter(|pair| pair.state == PairState::Answered).count();
        let errors = judged.iter().filter(|judged| judged.severity == Severity::Error).count();
        Some((cx.history.rows.len(), answered, errors))
    }

    fn renumber(_: &mut Self::Made, _: u32) {}
}

/// What the provider said to these is explained by a rule; where the item is in the request, it is found there.
#[test]
fn what_was_refused_for_its_history_is_explained() {
    let Some(root) = corpus() else { return };
    let recogniser = replaylint::internals::report::recognise::Recogniser::new();
    let refused = responses(&root).into_iter().filter(|(row, _)| row.gold == "rejected" && row.history_related);
    for (row, _) in refused {
        let said = row.api_error.expect("what the provider said");
        let found = recogniser.recognise(&said);
        assert!(found.first().is_some_and(|found| !found.claims.is_empty()), "{}: {said}", row.path);
        let request = root.join(&row.path);
        let args = ["explain", "--isolated", "--output-format", "json", "--error", &said];
        let args: Vec<&str> = args.into_iter().chain([request.to_str().expect("a path")]).collect();
        let output = crate::report::reports::run(&root, &args);
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let there = told["recognised"][0]["in_file"]["diagnostics"].as_array().map_or(0, Vec::len);
        assert!(there > 0, "{}: {told}", row.path);
    }
}

#[test]
fn codex_rollouts_of_every_era_are_read() {
    let Some(root) = corpus() else { return };
    let mut full = Vec::new();
    for row in manifest(&root).into_iter().filter(|row| row.format == "codex-rollout" && row.kind == "session") {
        let path = root.join(&row.path);
        let doc = Doc::open(DOC, &Input::File { path, named: true }, &Opening::default()).expect("readable");
        let found = judge::judge(DOC, &*doc.bytes, &Options::default(), 1, &Count).expect("readable");
        let format = found.format.map(|format| format.info().name);
        // One of the files is a sweep over keys of many tools.
        assert!(format == Some("codex-rollout") || row.path.contains("schema_drift"), "{}: {format:?}", row.path);
        let (items, answered, errors) = found.made.first().copied().unwrap_or_default();
        if row.path.contains("codex_full_rollout") {
            full.push((items, answered, errors));
        }
        if row.path.contains("rolled-back") {
            assert_eq!(errors, 0, "the call of the turn that was taken back is not in the history");
        }
    }
    full.sort_unstable();
    println!("full rollouts: items, answered calls, errors: {full:?}");
    assert_eq!(full, [(104, 34, 0), (177, 57, 0)]);
}

#[test]
fn every_file_is_read_without_a_panic() {
    let Some(root) = corpus() else { return };
    let mut files = 0;
    for row in manifest(&root) {
        if let Ok(text) = fs::read(root.join(&row.path)) {
            check(&text, &Options::default());
            files += 1;
        }
    }
    println!("files read: {files}");
}

#[test]
fn recorded_streams_end_in_what_the_provider_says_was_made() {
    let Some(root) = corpus() else { return };
    let (mut streams, mut items) = (0, 0);
    for row in manifest(&root) {
        if !row.format.starts_with("openai-responses") || row.kind != "sse" {
            continue;
        }
        let text = fs::read(root.join(&row.path)).expect("readable");
        let found = check(&text, &Options::default());
        let format = found.format.map(|format| format.info().name);
        assert_eq!(format, Some("responses-stream"), "{}", row.path);
        let unfinished = found.judged.iter().any(|judged| judged.finding.code.0 == 605);
        assert!(!unfinished, "{}: no last event was found", row.path);
        assert!(found.histories >= 1, "{}", row.path);
        (streams, items) = (streams + 1, items + found.items);
    }
    println!("streams: {streams}, items: {items}");
    assert!(streams > 200 && items > streams);
}
