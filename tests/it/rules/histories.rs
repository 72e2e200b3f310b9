//! Histories that were rebuilt from public reports of rejected requests, if a collection of them is beside the corpus:
//! the rule that the report is about finds each, at the severity that the evidence allows, and `fix` repairs it.

use std::collections::BTreeMap;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::target::Severity;
use replaylint::internals::targets;
use serde::Deserialize;
use serde_json::Value;

use crate::rules::pasted_messages::errors_folder;
use crate::support::{diagnostics, repair};

#[derive(Deserialize)]
struct RebuiltHistory {
    name: String,
    thread: String,
    want: String,
    target: Option<String>,
    model: Option<String>,
    body: Value,
}

/// Histories whose finding is no error, because of accepted requests or lack of evidence: the expected severity, and why.
const SOFTER_SEVERITIES: &[(&str, Option<Severity>, &str)] = &[
    ("fc-without-rs", WARNING, "67 function calls without reasoning were accepted"),
    ("id-51", WARNING, "longer ids were accepted"),
    ("ant-srv-open", WARNING, "accepted five times, in flight"),
    ("bed-blank", WARNING, "accepted on Claude"),
    ("bed-assistant-first", WARNING, "accepted on Claude"),
    ("gem-empty-parts", WARNING, "accepted once"),
    ("two-assistant-last", WARNING, "the model's template decides"),
    ("roles-not-alternating", WARNING, "the model's template decides"),
    ("system-not-first", WARNING, "the model's template decides"),
    ("no-user-message", WARNING, "the model's template decides"),
    ("glm-no-user-dup-ids", WARNING, "the server does not say why"),
    ("onyx-mistral", None, "a user message after a tool message was accepted 19 times"),
    ("xai-null-toolcalls", None, "null content with calls was accepted ten times"),
    ("hist-missing-ws-id", None, "Codex sends its web searches without ids"),
    ("gem-split-calls", None, "adjacent turns are merged before calls are counted"),
    ("ant-tool-reference", None, "calls of tools that are not defined were accepted 32 times"),
];

const WARNING: Option<Severity> = Some(Severity::Warning);

/// Targets for histories whose server is one of a family: the first that exists decides.
const SERVERS: &[(&str, &[&str])] = &[
    ("vllm-bad-args", &["vllm"]),
    ("llamacpp-bad-args", &["llamacpp", "chat-template", "vllm"]),
    ("dashscope-bad-args", &["dashscope"]),
    ("sglang-scalar-args", &["vllm", "chat-template"]),
    ("glm-no-user-dup-ids", &["glm"]),
    ("two-assistant-last", &["llamacpp", "chat-template"]),
    ("roles-not-alternating", &["chat-template", "llamacpp"]),
    ("system-not-first", &["chat-template", "vllm"]),
    ("no-user-message", &["chat-template", "vllm"]),
    ("ollama-array-content", &["ollama"]),
];

/// The minimum number of histories with the expected findings.
const MIN_FOUND: usize = 68;

fn options(rebuilt: &RebuiltHistory) -> Options {
    let own = SERVERS.iter().find(|(name, _)| *name == rebuilt.name).map_or(&[][..], |(_, targets)| targets);
    let target = own.iter().find_map(|name| targets::by_name(name));
    let named = rebuilt.target.as_deref().map(|name| targets::by_name(name).expect("a target"));
    Options { target: target.or(named), model: rebuilt.model.clone(), ..Options::default() }
}

fn read_histories() -> Option<Vec<RebuiltHistory>> {
    let text = std::fs::read_to_string(errors_folder()?.join("histories.jsonl")).expect("readable");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a history")).collect())
}

/// The findings of a history by the rules that it is about, or by any if the report names none.
fn matching_findings(
    rebuilt: &RebuiltHistory,
    text: &[u8],
    options: &Options,
) -> Vec<(String, Severity, Option<&'static str>)> {
    let wanted = |code: &str| rebuilt.want == "any" || rebuilt.want.split('|').any(|want| want == code);
    let found = diagnostics(text, options).into_iter().map(|one| (one.rule.to_string(), one.severity, one.no_fix));
    found.filter(|(code, severity, _)| wanted(code) && *severity > Severity::Info).collect()
}

#[test]
fn rebuilt_histories_are_found_and_repaired() {
    let Some(histories) = read_histories() else { return };
    let (mut right, mut healed, mut wrong) = (0, 0, Vec::new());
    let mut left: BTreeMap<&'static str, usize> = BTreeMap::new();
    for rebuilt in &histories {
        let RebuiltHistory { name, thread, want, .. } = rebuilt;
        let (text, options) = (rebuilt.body.to_string().into_bytes(), options(rebuilt));
        let seen = matching_findings(rebuilt, &text, &options);
        let worst = seen.iter().map(|(_, severity, _)| *severity).max();
        let softer = SOFTER_SEVERITIES.iter().find(|(softer, ..)| softer == name);
        let expected = softer.map_or(Some(Severity::Error), |(_, severity, _)| *severity);
        if worst == expected {
            right += 1;
        } else {
            println!("{name} ({thread}): {want} is expected with {expected:?}, and found with {worst:?}");
            // A finding must not be more severe than its evidence allows.
            if softer.is_some() && worst > expected {
                wrong.push(name);
            }
        }
        if seen.is_empty() {
            continue;
        }
        let wanted = FixOptions { warnings: true, acknowledge_safety: true, ..FixOptions::default() };
        let repaired = repair(&text, &options, &wanted);
        let remains = matching_findings(rebuilt, &repaired.text, &options);
        match remains.first() {
            None => healed += 1,
            Some((code, _, why)) => {
                let refused = repaired.remaining.iter().find(|left| left.rule.to_string() == *code);
                let why = refused.and_then(|left| left.no_fix).or(*why).unwrap_or("no reason is given");
                println!("{name} ({thread}): {code} is not repaired: {why}");
                *left.entry(why).or_default() += 1;
            }
        }
    }
    let all = histories.len();
    println!(
        "rebuilt histories: {right} of {all} with the expected findings, {healed} repaired; not repaired: {left:#?}"
    );
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(right >= MIN_FOUND, "{right} of {all}");
    assert!(!left.contains_key("no reason is given"));
}
