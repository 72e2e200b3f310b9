//! Real files and real recorded requests with the provider's answer, if a corpus of them is beside the checkout (or
//! where `REPLAYLINT_CORPUS` says).

use std::fs;
use std::path::PathBuf;

use replaylint::internals::history::PairState;
use replaylint::internals::judge::{self, HistoryVisitor, JudgedHistory, Options};
use replaylint::internals::source::{Doc, Input, InputOptions};
use replaylint::internals::target::Severity;
use replaylint::internals::targets;
use serde_json::Value;

use crate::support::{DOC, check, diagnostics};

pub struct RecordedRequest {
    pub path: String,
    pub format: String,
    pub kind: String,
    pub provider: String,
    pub url: String,
    pub gold: String,
    pub history_related: bool,
    pub api_error: Option<String>,
}

/// The folder of the corpus, if it exists.
pub fn corpus() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let root = std::env::var_os("REPLAYLINT_CORPUS").map_or(beside, PathBuf::from);
    let there = root.join("manifest.jsonl").is_file();
    if !there {
        println!("no corpus beside the checkout: skipped");
    }
    there.then_some(root)
}

pub fn manifest(root: &std::path::Path) -> Vec<RecordedRequest> {
    let text = fs::read_to_string(root.join("manifest.jsonl")).expect("a manifest");
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).expect("a row");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        RecordedRequest {
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

/// The target for a provider of the Responses API.
pub fn responses_target(provider: &str) -> &'static str {
    match provider {
        "azure-openai" => "azure",
        "chatgpt-codex-backend" => "codex",
        "deepseek" => "deepseek",
        // It creates ids of its own.
        "openrouter" => "openai-compatible",
        _ => "openai",
    }
}

/// Recorded requests of the Responses API, with the target for their provider.
pub fn responses(root: &std::path::Path) -> Vec<(RecordedRequest, Options)> {
    let rows = manifest(root).into_iter();
    let requests = rows.filter(|row| row.format.starts_with("openai-responses") && !row.gold.is_empty());
    let with_target = |row: RecordedRequest| {
        let target = responses_target(&row.provider);
        (row, Options { target: targets::by_name(target), ..Options::default() })
    };
    requests.map(with_target).collect()
}

/// The target for a host of Chat Completions.
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

/// Recorded requests of Chat Completions, with the target for their host.
pub fn chats(root: &std::path::Path) -> Vec<(RecordedRequest, Options)> {
    let rows = manifest(root).into_iter();
    let requests = rows.filter(|row| row.format == "openai-chat" && !row.gold.is_empty());
    let with_target = |row: RecordedRequest| {
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
struct ItemCounter;

impl HistoryVisitor for ItemCounter {
    type Output = (usize, usize, usize);

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<Self::Output> {
        let JudgedHistory { cx, findings: judged, .. } = *case;
        let answered = cx.history.pairs.iter().filter(|pair| pair.state == PairState::Answered).count();
        let errors = judged.iter().filter(|judged| judged.severity == Severity::Error).count();
        Some((cx.history.rows.len(), answered, errors))
    }

    fn renumber(_: &mut Self::Output, _: u32) {}
}

/// A rule explains the error message, and finds its item in the request.
#[test]
fn refusals_of_a_history_are_explained() {
    let Some(root) = corpus() else { return };
    let recogniser = replaylint::internals::report::recognise::Recogniser::new();
    let refused = responses(&root).into_iter().filter(|(row, _)| row.gold == "rejected" && row.history_related);
    for (row, _) in refused {
        let message = row.api_error.expect("an error message");
        let found = recogniser.recognise(&message);
        assert!(found.first().is_some_and(|found| !found.claims.is_empty()), "{}: {message}", row.path);
        let request = root.join(&row.path);
        let args = ["explain", "--isolated", "--output-format", "json", "--error", &message];
        let args: Vec<&str> = args.into_iter().chain([request.to_str().expect("a path")]).collect();
        let output = crate::report::reports::run(&root, &args);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let there = report["recognised"][0]["in_file"]["diagnostics"].as_array().map_or(0, Vec::len);
        assert!(there > 0, "{}: {report}", row.path);
    }
}

#[test]
fn codex_rollouts_of_all_versions_are_read() {
    let Some(root) = corpus() else { return };
    let mut full = Vec::new();
    for row in manifest(&root).into_iter().filter(|row| row.format == "codex-rollout" && row.kind == "session") {
        let path = root.join(&row.path);
        let doc = Doc::open(DOC, &Input::File { path, named: true }, &InputOptions::default()).expect("readable");
        let found = judge::judge(DOC, &*doc.bytes, &Options::default(), 1, &ItemCounter).expect("readable");
        let format = found.format.map(|format| format.info().name);
        // One of the files is a sweep over keys of many tools.
        assert!(format == Some("codex-rollout") || row.path.contains("schema_drift"), "{}: {format:?}", row.path);
        let (items, answered, errors) = found.outputs.first().copied().unwrap_or_default();
        if row.path.contains("codex_full_rollout") {
            full.push((items, answered, errors));
        }
        if row.path.contains("rolled-back") {
            assert_eq!(errors, 0, "the call of the rolled-back turn is not in the history");
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
fn recorded_streams_are_read_to_their_last_event() {
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
        let unfinished = found.findings.iter().any(|judged| judged.finding.code.0 == 605);
        assert!(!unfinished, "{}: no last event was found", row.path);
        assert!(found.histories >= 1, "{}", row.path);
        (streams, items) = (streams + 1, items + found.items);
    }
    println!("streams: {streams}, items: {items}");
    assert!(streams > 200 && items > streams);
}
