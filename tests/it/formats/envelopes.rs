//! Which request a body is: what its envelope says settles it, whatever is wrong in it; what that leaves open the target
//! settles, and a repair changes nothing of it.

use std::path::Path;

use replaylint::internals::formats;
use replaylint::internals::judge::{self, FindingsOnly, JudgedDoc, Options};
use replaylint::internals::options;
use replaylint::internals::read;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::support::{DOC, growable_text, repair};

/// The targets that stand for the dialects.
const TARGETS: [&str; 5] = ["openai", "chat", "anthropic", "gemini", "bedrock"];

fn for_target(name: &str) -> Options {
    let target = options::target(name).unwrap_or_else(|_| panic!("{name}"));
    let read = read::Options { dialect: Some(target.dialect), ..read::Options::default() };
    Options { read, target: Some(target), ..Options::default() }
}

fn judged(text: &str, options: &Options) -> JudgedDoc<()> {
    judge::judge(DOC, &growable_text(text.as_bytes()), options, 1, &FindingsOnly).expect("memory reads")
}

fn read_as(text: &str, options: &Options) -> &'static str {
    judged(text, options).format.map_or("none", |format| format.info().name)
}

/// Ambiguous bodies, with the formats that they are read as without a target and for each possible target.
/// Targets' dialects, and the format that each makes of a body.
type Formats<'f> = &'f [(&'f str, &'f str)];

#[test]
fn the_target_settles_what_a_document_leaves_open() {
    let text = json!({"role": "user", "content": "Hi"});
    let part = json!({"role": "user", "content": [{"type": "text", "text": "Hi"}]});
    let block = json!({"role": "user", "content": [{"text": "Hi"}]});
    let empty = json!({"role": "user", "content": []});
    let (chat, anthropic, bedrock) = ("chat-request", "anthropic-request", "bedrock-request");
    let ollama = "ollama-request";
    let (responses, gemini, items) = ("responses-request", "gemini-request", "responses-items");
    let named =
        json!({"type": "function", "name": "f", "function": {"name": "f", "parameters": {"type": "object"}}});
    let bodies: &[(Value, &str, Formats<'_>)] = &[
        (json!({"model": "m", "messages": [text]}), chat, &[("anthropic", anthropic)]),
        (json!({"model": "m", "messages": [part]}), chat, &[("anthropic", anthropic)]),
        (json!({"messages": [text]}), chat, &[("anthropic", anthropic)]),
        (json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [text]}), anthropic, &[("chat", chat)]),
        (json!({"model": "m", "messages": []}), chat, &[("anthropic", anthropic), ("bedrock", bedrock)]),
        (json!({"messages": []}), "none", &[("chat", chat), ("anthropic", anthropic), ("bedrock", bedrock)]),
        (json!({"model": "m", "messages": [empty]}), chat, &[("anthropic", anthropic), ("bedrock", bedrock)]),
        (json!({"model": "m", "messages": [text], "tools": []}), chat, &[("anthropic", anthropic)]),
        // Ollama's endpoint for Chat Completions accepts members of its own API, too.
        (json!({"model": "m", "messages": [text], "options": {}}), ollama, &[("chat", chat)]),
        (json!({"model": "m", "messages": [text], "keep_alive": "5m"}), ollama, &[("chat", chat)]),
        (json!({"model": "m", "messages": [text], "options": {}, "max_tokens": 9}), chat, &[]),
        (json!({"model": "m", "messages": [text], "think": false}), ollama, &[("chat", ollama)]),
        (
            json!({"model": "m", "messages": [{"role": "user", "content": "Hi", "images": ["aGk="]}], "options": {}}),
            ollama,
            &[("chat", ollama)],
        ),
        // Two lists in one body.
        (json!({"model": "m", "input": "Hi", "messages": [text]}), responses, &[("chat", chat)]),
        (json!({"contents": [], "messages": [text]}), chat, &[("gemini", gemini)]),
        (json!({"contents": [{"parts": [{"text": "Hi"}]}], "messages": [text]}), gemini, &[("chat", chat)]),
        (
            json!({"contents": [{"parts": [{"text": "Hi"}]}], "model": "m", "input": "Hi"}),
            gemini,
            &[("openai", responses)],
        ),
        (json!([text]), items, &[("chat", chat), ("anthropic", anthropic)]),
        (json!([part]), chat, &[("anthropic", anthropic)]),
        // These are distinctive.
        (json!({"model": "m", "messages": [block]}), bedrock, &[]),
        (json!({"modelId": "m", "messages": [text]}), bedrock, &[]),
        (json!({"model": "m", "system": "s", "messages": [text]}), anthropic, &[]),
        (json!({"model": "m", "input": [text]}), responses, &[]),
        (json!({"contents": []}), gemini, &[]),
        (json!({"model": "m", "messages": [part], "tools": [named]}), chat, &[]),
        (json!({"model": "m", "messages": [text], "tools": [{"type": "function", "name": "f"}]}), chat, &[]),
        (
            json!({"model": "m", "messages": [text], "tools": [{"type": "bash_20250124", "name": "bash"}]}),
            anthropic,
            &[],
        ),
    ];
    let mut wrong = Vec::new();
    for (body, alone, others) in bodies {
        let text = body.to_string();
        let mut expect = |asked: &str, options: &Options, expected: &str| {
            let found = read_as(&text, options);
            if found != expected {
                wrong.push(format!("{text} for {asked}: {found} instead of {expected}"));
            }
        };
        expect("nobody", &Options::default(), alone);
        for target in TARGETS {
            let own = others.iter().find(|(other, _)| *other == target).map_or(*alone, |(_, own)| own);
            expect(target, &for_target(target), own);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two requests of each dialect, and the key of their list.
fn requests() -> Vec<(&'static str, &'static str, Value)> {
    let schema = json!({"type": "object", "properties": {}});
    vec![
        (
            "responses-request",
            "input",
            json!({"model": "gpt-5", "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "1"}]}),
        ),
        (
            "responses-request",
            "input",
            json!({"model": "gpt-5", "instructions": "s", "input": [
            {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}, {"role": "user", "content": "?"}]}),
        ),
        (
            "chat-request",
            "messages",
            json!({"model": "gpt-4.1", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "1"}]}),
        ),
        (
            "chat-request",
            "messages",
            json!({"model": "gpt-4.1", "n": 1,
            "tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}],
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"},
                {"role": "user", "content": [{"type": "text", "text": "?"}, {"type": "text", "text": "!"}]}]}),
        ),
        (
            "anthropic-request",
            "messages",
            json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]}]}),
        ),
        (
            "anthropic-request",
            "messages",
            json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "s",
            "tools": [{"name": "f", "input_schema": schema}],
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"},
                {"role": "user", "content": [{"type": "text", "text": "?"}, {"type": "text", "text": "!"}]}]}),
        ),
        (
            "gemini-request",
            "contents",
            json!({"contents": [
            {"role": "user", "parts": [{"text": "Hi"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"a": 1}}}]}]}),
        ),
        (
            "gemini-request",
            "contents",
            json!({"contents": [{"parts": [{"text": "Hi"}, {"text": "Ho"}]}],
            "systemInstruction": {"parts": [{"text": "s"}]}}),
        ),
        (
            "bedrock-request",
            "messages",
            json!({"messages": [
            {"role": "user", "content": [{"text": "Hi"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "f", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "1"}]}}]}],
            "inferenceConfig": {"maxTokens": 9}}),
        ),
        (
            "bedrock-request",
            "messages",
            json!({"modelId": "m", "messages": [
            {"role": "user", "content": [{"text": "Hi"}, {"text": "Ho"}]}, {"role": "assistant", "content": [{"text": "?"}]}]}),
        ),
    ]
}

/// Every place in a value, as pointers.
fn places(val: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match val {
        Value::Object(members) => members.iter().for_each(|(key, val)| places(val, &format!("{at}/{key}"), all)),
        Value::Array(list) => list.iter().enumerate().for_each(|(n, val)| places(val, &format!("{at}/{n}"), all)),
        _ => {}
    }
}

fn kind(val: &Value) -> u8 {
    match val {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// One value at a time becomes each other type of JSON. The format is still recognised, and an element of a list that is no
/// object is found.
#[test]
fn a_value_of_a_wrong_type_is_a_finding_and_not_another_format() {
    let others =
        [json!(null), json!(true), json!(7), json!("x"), json!([]), json!([[]]), json!([{"a": 1}]), json!({})];
    let (mut bodies, mut wrong, mut silent) = (0, Vec::new(), Vec::new());
    for (format, list, request) in requests() {
        let target = formats::by_name(format).expect("a format").info().target;
        let mut all = Vec::new();
        places(&request, "", &mut all);
        for at in all.iter().filter(|at| !at.is_empty() && **at != format!("/{list}")) {
            let own = request.pointer(at).expect("it is there");
            // With one content or message changed, nothing distinctive is left.
            let is_last =
                *at == format!("/{list}/0") && request[list].as_array().is_some_and(|list| list.len() == 1);
            for other in others.iter().filter(|other| kind(other) != kind(own) && !is_last) {
                let mut body = request.clone();
                *body.pointer_mut(at).expect("it is there") = other.clone();
                let text = body.to_string();
                for options in [Options::default(), for_target(target)] {
                    bodies += 1;
                    let found = judged(&text, &options);
                    let name = found.format.map_or("none", |format| format.info().name);
                    if name != format {
                        wrong.push(format!("{format} {at} = {other}: {name}"));
                    }
                    let is_element = at.rsplit('/').next().is_some_and(|step| step.parse::<u32>().is_ok());
                    let is_content = at.starts_with(&format!("/{list}/"));
                    let finds = found.findings.iter().any(|judged| judged.severity == Severity::Error);
                    if is_element && is_content && other.is_number() && !finds {
                        silent.push(format!("{format} {at} = {other}"));
                    }
                }
            }
        }
    }
    assert!(bodies > 1500, "{bodies} bodies");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(silent.is_empty(), "nothing is found:\n{}", silent.join("\n"));
}

/// A repair may remove the distinctive member: the rest is repaired and checked by the same rules.
#[test]
fn a_repair_keeps_the_format_of_the_document() {
    let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": "1"});
    let call = json!({"type": "tool_use", "id": "t1", "name": "f", "input": {}});
    let user = json!({"role": "user", "content": "Hi"});
    for messages in [
        json!([user, {"role": "user", "content": [result, {"type": "text", "text": "go on"}]}]),
        json!([user, {"role": "assistant", "content": [call]}, {"role": "user", "content": "go on"}]),
        json!([user, {"role": "assistant", "content": [{"type": "text", "text": "a"}, call]}, {"role": "user", "content": "b"}]),
    ] {
        for body in [json!({"model": "claude-sonnet-4-5", "messages": messages}), json!({"messages": messages})] {
            let text = body.to_string();
            assert_eq!(read_as(&text, &Options::default()), "anthropic-request", "{text}");
            let repaired = repair(text.as_bytes(), &Options::default(), &FixOptions::default());
            assert!(!repaired.fixed.patch.is_empty() && repaired.fixed.remaining().findings.is_empty(), "{text}");
            let after = String::from_utf8(repaired.text).expect("UTF-8");
            let named =
                read::Options { format: formats::by_name("anthropic-request"), ..read::Options::default() };
            let found = judged(&after, &Options { read: named, ..Options::default() });
            assert_eq!(found.format.map(|format| format.info().name), Some("anthropic-request"), "{after}");
            assert!(found.findings.iter().all(|judged| judged.severity < Severity::Error), "{after}");
            // A second run changes nothing.
            let again = repair(after.as_bytes(), &Options::default(), &FixOptions::default());
            assert!(again.fixed.patch.is_empty(), "{after}");
        }
    }
}

/// `check` reports what a provider rejects; losses of a conversion are reported by `convert`.
#[test]
fn a_check_finds_no_losses() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let (mut found, mut losses) = (0, Vec::new());
    for target in [None].into_iter().chain(TARGETS.map(Some)) {
        for select in ["ALL", "RL9"] {
            let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_replaylint"));
            run.args(["check", "--isolated", "--select", select, "-v", "--output-format", "json"]).arg(&testdata);
            run.args(target.into_iter().flat_map(|target| ["--target", target]));
            let out = run.output().expect("it runs");
            let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
            for one in report["diagnostics"].as_array().expect("a list") {
                found += 1;
                if one["rule"].as_str().is_some_and(|rule| rule.starts_with("RL9")) {
                    losses.push(format!("{target:?} {}: {}", one["rule"], one["path"]));
                }
            }
        }
    }
    assert!(found > 1000, "{found} findings");
    assert!(losses.is_empty(), "{}", losses.join("\n"));
}
