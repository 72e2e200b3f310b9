//! Accepted requests, broken in one place each: the break is found, nothing else is, and the repair heals it.

use std::fs;

use replaylint::internals::judge::Options;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::rules::corpus::{corpus, responses};
use crate::support::diagnostics;
use crate::support::tally::Tally;

/// An item, and the number of the group that it belongs to: reasoning, what it heads, and the outputs of that.
#[derive(Clone)]
struct Item {
    value: Value,
    group: usize,
}

fn text<'v>(item: &'v Value, key: &str) -> &'v str {
    item[key].as_str().unwrap_or_default()
}

fn kind(item: &Value) -> &str {
    match text(item, "type") {
        "" => "message",
        kind => kind,
    }
}

fn is_output(item: &Value) -> bool {
    kind(item).ends_with("_call_output")
}

fn is_client_call(item: &Value) -> bool {
    ["function_call", "custom_tool_call", "apply_patch_call", "shell_call"].contains(&kind(item))
}

fn is_model_made(item: &Value) -> bool {
    kind(item).ends_with("_call") || kind(item) == "message" && text(item, "role") == "assistant"
}

fn grouped(input: &[Value]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut group = 0;
    let mut last = "";
    for value in input {
        let own = match kind(value) {
            "reasoning" if last != "reasoning" => {
                group += 1;
                group
            }
            _ if is_output(value) => {
                let call =
                    |other: &&Item| is_client_call(&other.value) && other.value["call_id"] == value["call_id"];
                items.iter().find(call).map_or(group, |call| call.group)
            }
            "reasoning" => group,
            _ if is_model_made(value) => group,
            _ => {
                group += 1;
                group
            }
        };
        last = kind(value);
        items.push(Item { value: value.clone(), group: own });
        if is_output(value) {
            group = group.max(own);
        }
    }
    items
}

struct Broken {
    what: &'static str,
    items: Vec<Item>,
    /// Any of these must be found.
    expected: &'static [&'static str],
    group: usize,
}

/// A member that is put in or taken out, the items it is tried on, and the rule that must say so.
struct FieldBreak {
    what: &'static str,
    kinds: &'static [&'static str],
    expected: &'static [&'static str],
    make: fn(&mut serde_json::Map<String, Value>),
}

const ANY_KIND: &[&str] = &["message", "reasoning", "function_call", "function_call_output", "web_search_call"];
const TEXT_OUTPUTS: &[&str] = &["function_call_output", "custom_tool_call_output"];

const FIELD_BREAKS: &[FieldBreak] = &[
    FieldBreak {
        what: "add created_by",
        kinds: ANY_KIND,
        expected: &["RL401"],
        make: |item| set(item, "created_by", json!("a")),
    },
    FieldBreak {
        what: "add a private key",
        kinds: ANY_KIND,
        expected: &["RL402"],
        make: |item| set(item, "_note", json!(1)),
    },
    FieldBreak {
        what: "add a status to reasoning",
        kinds: &["reasoning"],
        expected: &["RL401"],
        make: |item| set(item, "status", json!("completed")),
    },
    FieldBreak {
        what: "strip a summary",
        kinds: &["reasoning"],
        expected: &["RL403"],
        make: |item| drop(item.remove("summary")),
    },
    FieldBreak {
        what: "add raw reasoning",
        kinds: &["reasoning"],
        expected: &["RL404"],
        make: |item| set(item, "content", json!([{"type": "reasoning_text", "text": "Hm"}])),
    },
    FieldBreak {
        what: "null content",
        kinds: &["message"],
        expected: &["RL407"],
        make: |item| set(item, "content", Value::Null),
    },
    FieldBreak {
        what: "an output as object",
        kinds: TEXT_OUTPUTS,
        expected: &["RL409"],
        make: |item| set(item, "output", json!({"ok": true})),
    },
    FieldBreak {
        what: "no output",
        kinds: TEXT_OUTPUTS,
        expected: &["RL409"],
        make: |item| drop(item.remove("output")),
    },
    FieldBreak {
        what: "an overlong output",
        kinds: TEXT_OUTPUTS,
        expected: &["RL415"],
        make: |item| set(item, "output", json!("x".repeat(10_485_761))),
    },
    FieldBreak {
        what: "arguments as object",
        kinds: &["function_call"],
        expected: &["RL410"],
        make: |item| set(item, "arguments", json!({"a": 1})),
    },
    FieldBreak {
        what: "parsed arguments",
        kinds: &["function_call"],
        expected: &["RL401"],
        make: |item| set(item, "parsed_arguments", json!({})),
    },
    FieldBreak {
        what: "sources of a search",
        kinds: &["web_search_call"],
        expected: &["RL401"],
        make: |item| set(item, "action", json!({"type": "search", "query": "q", "sources": []})),
    },
    FieldBreak {
        what: "Chat's reasoning",
        kinds: &["message"],
        expected: &["RL402"],
        make: |item| set(item, "reasoning_content", json!("Hm")),
    },
];

/// Overlong texts are tried on so many requests: each takes megabytes.
const LONG_TEXTS: usize = 2;

fn set(item: &mut serde_json::Map<String, Value>, key: &str, value: Value) {
    item.insert(key.to_owned(), value);
}

/// What the target and settings let be an error.
struct Setting {
    stored: bool,
    identity: bool,
    server_state: bool,
    plain: bool,
    long_texts: bool,
}

fn breaks(items: &[Item], setting: &Setting) -> Vec<Broken> {
    let mut found = Vec::new();
    let mut add = |what, expected, group, make: &dyn Fn(&mut Vec<Item>)| {
        let mut items = items.to_vec();
        make(&mut items);
        found.push(Broken { what, items, expected, group });
    };
    // What a cut or a splice leaves behind, in any request.
    let own = items.len();
    let spliced = |value: Value| Item { value, group: own };
    if !setting.server_state {
        let output = json!({"type": "function_call_output", "call_id": "call_elsewhere", "output": "ok"});
        add("splice in an output", &["RL102"], own, &|items| items.push(spliced(output.clone())));
    }
    let call = json!({"type": "function_call", "call_id": "call_new", "name": "f", "arguments": "{}"});
    add("splice in a call", &["RL101"], own, &|items| items.insert(0, spliced(call.clone())));
    for (n, item) in items.iter().enumerate() {
        let (value, group) = (&item.value, item.group);
        // DeepSeek's own verdict on most fields is not known; and two items of a kind in a request tell as much as all.
        let before = items[..n].iter().filter(|other| kind(&other.value) == kind(value)).count();
        let tried = setting.identity && before < 2;
        for field in FIELD_BREAKS.iter().filter(|field| tried && field.kinds.contains(&kind(value))) {
            if field.what != "an overlong output" || setting.long_texts {
                add(field.what, field.expected, group, &|items| {
                    (field.make)(items[n].value.as_object_mut().expect("an object"));
                });
            }
        }
        let has_id = value["id"].is_string();
        let next = items.get(n + 1);
        let call = || {
            items
                .iter()
                .position(|other| is_client_call(&other.value) && other.value["call_id"] == value["call_id"])
        };
        if is_output(value) && call().is_some() {
            add("drop an output", &["RL101"], group, &|items| {
                items.remove(n);
            });
            if !setting.server_state {
                add("output before its call", &["RL103"], group, &|items| {
                    let output = items.remove(n);
                    items.insert(call().unwrap_or(n), output);
                });
            }
            add("duplicate an output", &["RL105", "RL301"], group, &|items| items.insert(n + 1, items[n].clone()));
            add("a call_id of 70 characters", &["RL310"], group, &|items| {
                let long = format!("call_{}", "x".repeat(65));
                let old = items[n].value["call_id"].clone();
                for item in items.iter_mut().filter(|item| item.value["call_id"] == old) {
                    item.value["call_id"] = json!(long);
                }
            });
        }
        if is_client_call(value) && !setting.server_state {
            let answered = items.iter().any(|o| is_output(&o.value) && o.value["call_id"] == value["call_id"]);
            if answered {
                add("drop a call", &["RL102", "RL207"], group, &|items| {
                    items.remove(n);
                });
            }
        }
        if has_id && setting.identity && !is_output(value) {
            add("duplicate an item", &["RL301"], group, &|items| items.insert(n + 1, items[n].clone()));
        }
        if has_id && setting.identity && (is_client_call(value) || is_model_made(value)) {
            add("wrong prefix", &["RL302"], group, &|items| items[n].value["id"] = json!("toolu_01ABC"));
        }
        if kind(value) == "reasoning" {
            let followed = next.is_some_and(|next| next.value["id"].is_string() && is_model_made(&next.value));
            if has_id && followed && setting.identity {
                add("strip a follower's id", &["RL202"], group, &|items| {
                    items[n + 1].value.as_object_mut().expect("an object").remove("id");
                });
                add("fresh reasoning before an item with an id", &["RL201"], group, &|items| {
                    items[n].value.as_object_mut().expect("an object").remove("id");
                });
                if setting.stored {
                    add("move reasoning to the end", &["RL202"], group, &|items| {
                        let reasoning = items.remove(n);
                        items.push(reasoning);
                    });
                }
            }
            if !setting.stored && setting.identity && !setting.plain && value["encrypted_content"].is_string() {
                add("strip the blob", &["RL205"], group, &|items| {
                    items[n].value.as_object_mut().expect("an object").remove("encrypted_content");
                });
            }
        }
    }
    found
}

#[test]
fn one_break_at_a_time_is_found_and_healed() {
    let Some(root) = corpus() else { return };
    let mut tally = Tally::default();
    let mut long_texts = 0;
    for (row, options) in responses(&root).into_iter().filter(|(row, _)| row.gold == "accepted") {
        let body: Value =
            serde_json::from_slice(&fs::read(root.join(&row.path)).expect("readable")).expect("JSON");
        let Some(input) = body["input"].as_array() else { continue };
        let target = options.target.expect("a target");
        let set = |key: &str| !body[key].is_null();
        let has_output = input.iter().any(|item| TEXT_OUTPUTS.contains(&kind(item)));
        long_texts += usize::from(has_output);
        let setting = Setting {
            stored: body["store"].as_bool().unwrap_or(target.store),
            identity: target.name != "deepseek",
            server_state: set("previous_response_id") || set("conversation"),
            long_texts: has_output && long_texts <= LONG_TEXTS,
            plain: body["model"].as_str().is_some_and(|model| model.starts_with("gpt-4")),
        };
        let broken = breaks(&grouped(input), &setting);
        tally.requests += u32::from(!broken.is_empty());
        let baseline = codes(&body, &options);
        for broken in broken {
            let mut body = body.clone();
            body["input"] = broken.items.iter().map(|item| item.value.clone()).collect();
            judge(&broken, &body, &options, &baseline, &row.path, &mut tally);
        }
    }
    tally.settle(200);
}

fn codes(body: &Value, options: &Options) -> Vec<String> {
    let text = serde_json::to_vec(body).expect("JSON");
    diagnostics(&text, options).iter().map(|d| d.rule.to_string()).collect()
}

fn judge(broken: &Broken, body: &Value, options: &Options, baseline: &[String], path: &str, tally: &mut Tally) {
    let text = serde_json::to_vec(body).expect("JSON");
    let found = tally.judge(broken.what, broken.expected, &text, options, path);
    for diagnostic in found.iter().filter(|d| d.severity == Severity::Error) {
        let index = diagnostic.spot.pointer.rsplit('/').next().and_then(|n| n.parse::<usize>().ok());
        let group = index.and_then(|n| broken.items.get(n)).map(|item| item.group);
        let known = baseline.contains(&diagnostic.rule.to_string());
        assert!(
            known || group == Some(broken.group),
            "{} in {path}: a finding on another group: {} at {}",
            broken.what,
            diagnostic.message,
            diagnostic.spot.pointer
        );
    }
}
