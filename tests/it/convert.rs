//! Conversion: every case of `testdata/convert`, every recorded request where the corpus is there, and generated ones.
//! What comes out is what the target's API wants, and a way there and back keeps all that no loss names.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use replaylint::commands::convert::TO;
use replaylint::convert::{Plan, Thoughts};
use replaylint::diff::align::{Fate, align};
use replaylint::diff::entries::{self, Words};
use replaylint::lint::Options;
use replaylint::neutral::LossKind;
use replaylint::recast::{Recast, Recasting, recast};
use replaylint::report::{self, Content};
use replaylint::target::Severity;
use replaylint::targets;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::corpus::{chat_target, corpus, manifest};
use crate::support::DOC;

const DIALECTS: [&str; 5] = ["responses", "chat", "anthropic", "gemini", "bedrock"];

fn plan(to: &str) -> Plan {
    let (_, to, written) = TO.iter().find(|(name, ..)| *name == to).copied().expect("a dialect");
    Plan { to, written, thoughts: Thoughts::Auto, model: None, newest_first: None }
}

fn converted(text: &[u8], options: &Options, plan: Plan) -> (Vec<u8>, Recast) {
    let how = Recasting { options, plan, least: Severity::Info, most: usize::MAX };
    let mut out = Vec::new();
    let done = recast(DOC, &text.to_vec(), &how, 1, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    (out, done.expect("memory reads"))
}

fn told(text: &[u8], done: Recast) -> String {
    let found = report::diagnose(DOC, "case", &text.to_vec(), &done.told(), Content::None).expect("memory reads");
    let mut out = String::new();
    for diagnostic in found {
        let (severity, rule, message) = (diagnostic.severity.name(), diagnostic.rule, diagnostic.message);
        let _ = writeln!(out, "{severity} {rule} {message} ({})", diagnostic.spot.pointers());
    }
    out
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    about: String,
    input: String,
    to: Vec<String>,
    reasoning: Option<String>,
    model: Option<String>,
}

#[test]
fn cases_of_conversion() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/convert");
    let mut files: Vec<_> = fs::read_dir(&folder).expect("cases").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    for path in files {
        let file: File = toml::from_str(&fs::read_to_string(&path).expect("UTF-8"))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut page = String::new();
        for case in file.case {
            let _ = writeln!(page, "━━━ {}\n{}", case.name, case.about);
            for to in &case.to {
                let thoughts = match case.reasoning.as_deref() {
                    Some("text") => Thoughts::Text,
                    Some("drop") => Thoughts::Drop,
                    _ => Thoughts::Auto,
                };
                let plan = Plan { thoughts, model: case.model.clone(), ..plan(to) };
                let text = case.input.trim_start().as_bytes();
                let (out, done) = converted(text, &Options::default(), plan);
                if to != "responses-items" {
                    legal(to, &out);
                }
                let _ = write!(page, "\n→ {to}\n{}{}", String::from_utf8_lossy(&out), told(text, done));
            }
            page.push('\n');
        }
        let group = path.file_stem().expect("a name").to_string_lossy().into_owned();
        insta::with_settings!({ snapshot_path => folder.join("snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(group, page);
        });
    }
}

/// What every API of the dialect refuses, looked for without the code that converts.
fn legal(to: &str, out: &[u8]) {
    for line in out.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        let body: Value = serde_json::from_slice(line).expect("JSON");
        match to {
            "chat" => legal_chat(&body),
            "anthropic" => legal_blocks(&body, "tool_use", "tool_result", "id", "tool_use_id"),
            "gemini" => legal_gemini(&body),
            "bedrock" => legal_bedrock(&body),
            _ => {}
        }
    }
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn legal_chat(body: &Value) {
    let mut open: Vec<&str> = Vec::new();
    for message in list(body, "messages") {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().expect("an id");
            let at = open.iter().position(|own| *own == id).expect("a tool message answers a call in front of it");
            open.remove(at);
            continue;
        }
        assert!(open.is_empty(), "calls without tool messages: {open:?}");
        open.extend(list(message, "tool_calls").iter().filter_map(|call| call["id"].as_str()));
        assert!(open.iter().all(|id| (1..=40).contains(&id.len())));
        assert!(!message["content"].is_null() || message["role"] == "assistant");
    }
    assert!(open.is_empty());
}

/// Anthropic's turns: results stand first in the user message behind their calls, each once, and nowhere else.
fn legal_blocks(body: &Value, call: &str, result: &str, id: &str, answers: &str) {
    assert!(body["max_tokens"].is_u64());
    let mut open: Vec<&str> = Vec::new();
    let mut called = false;
    let mut role = "";
    for message in list(body, "messages") {
        assert_ne!(message["role"].as_str(), Some(role), "roles take turns");
        role = message["role"].as_str().expect("a role");
        let blocks = list(message, "content");
        let results = blocks.iter().take_while(|block| block["type"] == result).count();
        for block in &blocks[..results] {
            let id = block[answers].as_str().expect("an id");
            let at = open.iter().position(|own| *own == id).expect("a result answers a call of the turn before");
            open.remove(at);
        }
        assert!(open.is_empty(), "calls without results: {open:?}");
        assert!(blocks[results..].iter().all(|block| block["type"] != result), "results come first");
        assert!(blocks.iter().all(|block| block["type"] != "text" || block["text"] != ""), "no empty text");
        let calls = blocks.iter().filter(|block| block["type"] == call);
        for block in calls {
            assert!(block["input"].is_object());
            let id = block[id].as_str().expect("an id");
            assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') && !id.is_empty());
            open.push(id);
            called = true;
        }
        assert!(message["content"].is_string() || !blocks.is_empty());
    }
    assert!(open.is_empty());
    assert!(!called || !list(body, "tools").is_empty(), "calls want tools");
}

fn legal_gemini(body: &Value) {
    let mut calls = 0;
    let mut before = "";
    for (n, content) in list(body, "contents").iter().enumerate() {
        let parts = list(content, "parts");
        let count = |key: &str| parts.iter().filter(|part| part.get(key).is_some()).count();
        assert!(!parts.is_empty());
        assert_eq!(count("functionResponse"), calls, "as many responses as calls");
        assert!(calls == 0 || parts.len() == calls, "responses stand alone");
        calls = count("functionCall");
        assert!(calls == 0 || (n > 0 && before == "user"), "a call stands behind the user");
        before = content["role"].as_str().expect("a role");
        for part in parts {
            assert!(
                part.get("functionResponse").is_none_or(|own| own["name"] != "" && own["response"].is_object())
            );
        }
    }
    assert_eq!(calls, 0);
}

fn legal_bedrock(body: &Value) {
    let mut open: Vec<&str> = Vec::new();
    let mut tools = false;
    for (n, message) in list(body, "messages").iter().enumerate() {
        assert!(n > 0 || message["role"] == "user", "the user speaks first");
        let blocks = list(message, "content");
        assert!(!blocks.is_empty());
        for block in blocks {
            if let Some(id) = block["toolResult"]["toolUseId"].as_str() {
                let at = open.iter().position(|own| *own == id).expect("a result answers a call before it");
                open.remove(at);
            }
            assert!(block["text"].as_str().is_none_or(|text| !text.trim().is_empty()));
        }
        assert!(open.is_empty(), "calls without results: {open:?}");
        open.extend(blocks.iter().filter_map(|block| block["toolUse"]["toolUseId"].as_str()));
        tools |= !open.is_empty();
    }
    assert!(open.is_empty());
    assert!(!tools || !list(&body["toolConfig"], "tools").is_empty(), "calls want tools");
}

/// Converts there and back: what is gone must be named by a loss on its place, or by one on the way back.
fn round_trip(name: &str, text: &[u8], from: &str, to: &str, options: &Options) {
    let (there, first) = converted(text, options, plan(to));
    assert_eq!(first.failed, 0, "{name} to {to}");
    legal(to, &there);
    let places: Vec<(u64, u64)> =
        first.judged.iter().map(|judged| (judged.finding.row.at.start, judged.finding.row.at.end())).collect();
    let (back, second) = converted(&there, &Options::default(), plan(from));
    assert_eq!(second.failed, 0, "{name} to {to} and back");
    let of = |text: &[u8]| {
        let bytes = text.to_vec();
        let (mut told, _) = entries::read(DOC, &bytes, &Options::default(), Words::Shared).expect("memory reads");
        if told.is_empty() { Vec::new() } else { told.remove(0).entries }
    };
    let (before, after) = (of(text), of(&back));
    let (mut unnamed, mut added) = (Vec::new(), 0);
    for fate in align(&before, &after) {
        let entry = match fate {
            Fate::Removed(a) | Fate::Changed(a, _) | Fate::Moved(a, _, true) => &before[a],
            Fate::Added(_) => {
                added += 1;
                continue;
            }
            // Texts and calls of one message may change places; results have theirs behind the calls.
            Fate::Same(..) | Fate::Moved(..) => continue,
        };
        let named = places.iter().any(|(start, end)| *start < entry.at.end() && entry.at.start < *end);
        if !named {
            unnamed.push(format!("{} at {}", entry.kind, entry.pointer));
        }
    }
    let losses = first.judged.len() + second.judged.len();
    // A call that gets another id takes its result along; of two equal results either may be the one that went.
    let known = [LossKind::CALL_ID_RENAMED.code, LossKind::ORPHAN_RESULT.code];
    let shifted = first.judged.iter().filter(|judged| known.contains(&judged.finding.code)).count();
    let allowed = second.judged.len() + shifted;
    assert!(unnamed.len() <= allowed, "{name} to {to} and back: {unnamed:?} is gone, and nobody said so");
    assert!(added <= losses, "{name} to {to} and back: {added} entries came from nowhere");
}

#[test]
fn recorded_requests_convert_to_every_dialect_and_back() {
    let Some(root) = corpus() else { return };
    let mut count = 0;
    for row in manifest(&root).into_iter().filter(|row| row.gold == "accepted") {
        let from = match row.format.as_str() {
            "openai-responses" => "responses",
            "openai-chat" => "chat",
            "anthropic-messages" => "anthropic",
            "gemini-contents" => "gemini",
            "bedrock-converse" => "bedrock",
            _ => continue,
        };
        let text = fs::read(root.join(&row.path)).expect("readable");
        let body: Value = serde_json::from_slice(&text).expect("JSON");
        // What the server holds is not in the file, and nothing may be left without it.
        if body["previous_response_id"].is_string() || body["conversation"].is_string() {
            continue;
        }
        let target = match row.provider.as_str() {
            "azure-openai" => "azure",
            "chatgpt-codex-backend" => "codex",
            "deepseek" => "deepseek",
            _ => "openai",
        };
        let target = if from == "chat" { chat_target(&row.provider) } else { target };
        let options = Options { target: targets::by_name(target), ..Options::default() };
        for to in DIALECTS {
            if to == from {
                let (out, done) = converted(&text, &options, plan(to));
                assert_eq!((done.converted, done.failed), (1, 0), "{}", row.path);
                assert_eq!(serde_json::from_slice::<Value>(&out).expect("JSON"), body, "{}", row.path);
            } else {
                round_trip(&row.path, &text, from, to, &options);
            }
            count += 1;
        }
    }
    println!("{count} conversions");
    assert!(count > 4000);
}

/// A turn of a Chat conversation; calls may lack results, results may come late, ids may be odd.
fn any_turn() -> impl Strategy<Value = Vec<Value>> {
    let text = "[a-zé🙂\"\\\\ \n]{1,12}";
    let id = prop_oneof![Just("call_1"), Just("call_2"), Just("functions.f:0"), Just("a b")];
    let call =
        |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1}"}});
    let result = |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    prop_oneof![
        text.prop_map(|text| vec![json!({"role": "user", "content": text})]),
        text.prop_map(|text| vec![json!({"role": "assistant", "content": text})]),
        text.prop_map(|text| vec![json!({"role": "system", "content": text})]),
        (id.clone(), text).prop_map(move |(id, text)| vec![
            json!({"role": "assistant", "content": null, "tool_calls": [call(id)]}),
            result(id, &text)
        ]),
        (id.clone(), text).prop_map(move |(id, text)| vec![
            json!({"role": "assistant", "content": text, "tool_calls": [call(id), call("other")]}),
            result("other", "2"),
            result(id, "1"),
        ]),
        id.clone()
            .prop_map(move |id| vec![json!({"role": "assistant", "content": null, "tool_calls": [call(id)]})]),
        id.prop_map(move |id| vec![result(id, "late")]),
        Just(vec![json!({"role": "user", "content": [
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
        ]})]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_histories_convert_to_every_dialect_and_back(
        turns in prop::collection::vec(any_turn(), 0..8),
    ) {
        let mut messages = vec![json!({"role": "user", "content": "begin"})];
        messages.extend(turns.into_iter().flatten());
        let body = json!({"model": "m", "messages": messages}).to_string();
        for to in DIALECTS.into_iter().filter(|to| *to != "chat") {
            round_trip(&body, body.as_bytes(), "chat", to, &Options::default());
        }
        // The same bytes on every run.
        for to in DIALECTS {
            let once = converted(body.as_bytes(), &Options::default(), plan(to)).0;
            prop_assert_eq!(&once, &converted(body.as_bytes(), &Options::default(), plan(to)).0);
        }
    }
}

#[test]
fn lines_come_out_in_their_order_on_any_number_of_threads() {
    let mut text = Vec::new();
    for n in 0..30_000 {
        let body = json!({"model": "m", "input": [{"role": "user", "content": format!("number {n} {}", "x".repeat(200))}]});
        text.extend_from_slice(body.to_string().as_bytes());
        text.push(b'\n');
        if n % 10_000 == 9_999 {
            text.extend_from_slice(b"{\"broken\": \n");
        }
    }
    let run = |threads| {
        let options = Options::default();
        let how = Recasting { options: &options, plan: plan("chat"), least: Severity::Info, most: usize::MAX };
        let mut out = Vec::new();
        let done = recast(DOC, &text, &how, threads, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        (out, done.expect("memory reads"))
    };
    let ((one, first), (many, second)) = (run(1), run(4));
    assert_eq!((first.converted, first.failed, first.records), (30_000, 3, 30_003));
    assert!(one == many, "threads change the order");
    let places = |done: &Recast| {
        done.judged.iter().map(|j| (j.finding.row.at.start, j.finding.row.record)).collect::<Vec<_>>()
    };
    assert_eq!(places(&first), places(&second));
    assert_eq!(places(&first)[0].1, 10_000);
    for (n, line) in one.split(|b| *b == b'\n').filter(|line| !line.is_empty()).enumerate() {
        assert!(String::from_utf8_lossy(line).contains(&format!("number {n} ")));
    }
}
