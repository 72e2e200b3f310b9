//! Histories that were rebuilt from public reports of rejected requests, if a collection of them lies beside the corpus:
//! the rule that the report is about finds each, at the severity that the evidence allows, and `fix` repairs it.

use std::collections::BTreeMap;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::target::Severity;
use replaylint::internals::targets;
use serde::Deserialize;
use serde_json::Value;

use crate::rules::pasted::errors;
use crate::support::{diagnostics, repair};

#[derive(Deserialize)]
struct Rebuilt {
    name: String,
    thread: String,
    want: String,
    target: Option<String>,
    model: Option<String>,
    body: Value,
}

/// What recorded accepted requests, or want of evidence, keep from being an error: what is expected instead.
const SOFTER: &[(&str, Option<Severity>, &str)] = &[
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

/// Histories that are found as they should be, at least.
const FOUND: usize = 68;

fn options(rebuilt: &Rebuilt) -> Options {
    let own = SERVERS.iter().find(|(name, _)| *name == rebuilt.name).map_or(&[][..], |(_, targets)| targets);
    let target = own.iter().find_map(|name| targets::by_name(name));
    let named = rebuilt.target.as_deref().map(|name| targets::by_name(name).expect("a target"));
    Options { target: target.or(named), model: rebuilt.model.clone(), ..Options::default() }
}

fn collected() -> Option<Vec<Rebuilt>> {
    let text = std::fs::read_to_string(errors()?.join("histories.jsonl")).expect("readable");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a history")).collect())
}

/// What is found of a history by the rules that it is about, or by any where the report names none.
fn found(rebuilt: &Rebuilt, text: &[u8], options: &Options) -> Vec<(String, Severity, Option<&'static str>)> {
    let wanted = |code: &str| rebuilt.want == "any" || rebuilt.want.split('|').any(|want| want == code);
    let found = diagnostics(text, options).into_iter().map(|one| (one.rule.to_string(), one.severity, one.no_fix));
    found.filter(|(code, severity, _)| wanted(code) && *severity > Severity::Info).collect()
}

#[test]
fn rebuilt_histories_are_found_and_repaired() {
    let Some(histories) = collected() else { return };
    let (mut right, mut healed, mut wrong) = (0, 0, Vec::new());
    let mut left: BTreeMap<&'static str, usize> = BTreeMap::new();
    for rebuilt in &histories {
        let Rebuilt { name, thread, want, .. } = rebuilt;
        let (text, options) = (rebuilt.body.to_string().into_bytes(), options(rebuilt));
        let seen = found(rebuilt, &text, &options);
        let worst = seen.iter().map(|(_, severity, _)| *severity).max();
        let softer = SOFTER.iter().find(|(softer, ..)| softer == name);
        let expected = softer.map_or(Some(Severity::Error), |(_, severity, _)| *severity);
        if worst == expected {
            right += 1;
        } else {
            println!("{name} ({thread}): {want} is expected as {expected:?}, and found as {worst:?}");
            // What evidence keeps silent, or softer, must not become an error.
            if softer.is_some() && worst > expected {
                wrong.push(name);
            }
        }
        if seen.is_empty() {
            continue;
        }
        let wanted = FixOptions { warnings: true, acknowledge_safety: true, ..FixOptions::default() };
        let repaired = repair(&text, &options, &wanted);
        let remains = found(rebuilt, &repaired.text, &options);
        match remains.first() {
            None => healed += 1,
            Some((code, _, why)) => {
                let refused = repaired.left.iter().find(|left| left.rule.to_string() == *code);
                let why = refused.and_then(|left| left.no_fix).or(*why).unwrap_or("no reason is given");
                println!("{name} ({thread}): {code} is not repaired: {why}");
                *left.entry(why).or_default() += 1;
            }
        }
    }
    let all = histories.len();
    println!(
        "rebuilt histories: {right} of {all} found as they should be, {healed} repaired; not repaired: {left:#?}"
    );
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(right >= FOUND, "{right} of {all}");
    assert!(!left.contains_key("no reason is given"));
}
