//! Mutations of accepted requests, one change each: it is found, nothing else is, and the repair corrects it.

use std::fs;

use replaylint::internals::judge::Options;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::rules::corpus::{corpus, responses};
use crate::support::diagnostics;
use crate::support::tally::MutationTally;

/// An item, and the number of the group that it belongs to: reasoning, the items after it that depend on it, and their outputs.
#[derive(Clone)]
struct GroupedItem {
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

fn group_items(input: &[Value]) -> Vec<GroupedItem> {
    let mut items: Vec<GroupedItem> = Vec::new();
    let mut group = 0;
    let mut last = "";
    for value in input {
        let own = match kind(value) {
            "reasoning" if last != "reasoning" => {
                group += 1;
                group
            }
            _ if is_output(value) => {
                let call = |other: &&GroupedItem| {
                    is_client_call(&other.value) && other.value["call_id"] == value["call_id"]
                };
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
        items.push(GroupedItem { value: value.clone(), group: own });
        if is_output(value) {
            group = group.max(own);
        }
    }
    items
}

struct ItemMutation {
    description: &'static str,
    items: Vec<GroupedItem>,
    /// At least one of these must be found.
    expected: &'static [&'static str],
    group: usize,
}

/// A change of a member, the kinds of items that it applies to, and the rule that must report it.
struct FieldMutation {
    description: &'static str,
    kinds: &'static [&'static str],
    expected: &'static [&'static str],
    mutate: fn(&mut serde_json::Map<String, Value>),
}

const ANY_KIND: &[&str] = &["message", "reasoning", "function_call", "function_call_output", "web_search_call"];
const TEXT_OUTPUTS: &[&str] = &["function_call_output", "custom_tool_call_output"];

const FIELD_MUTATIONS: &[FieldMutation] = &[
    FieldMutation {
        description: "add created_by",
        kinds: ANY_KIND,
        expected: &["RL401"],
        mutate: |item| set(item, "created_by", json!("a")),
    },
    FieldMutation {
        description: "add a private key",
        kinds: ANY_KIND,
        expected: &["RL402"],
        mutate: |item| set(item, "_note", json!(1)),
    },
    FieldMutation {
        description: "add a status to reasoning",
        kinds: &["reasoning"],
        expected: &["RL401"],
        mutate: |item| set(item, "status", json!("completed")),
    },
    FieldMutation {
        description: "strip a summary",
        kinds: &["reasoning"],
        expected: &["RL403"],
        mutate: |item| drop(item.remove("summary")),
    },
    FieldMutation {
        description: "add raw reasoning",
        kinds: &["reasoning"],
        expected: &["RL404"],
        mutate: |item| set(item, "content", json!([{"type": "reasoning_text", "text": "Hm"}])),
    },
    FieldMutation {
        description: "null content",
        kinds: &["message"],
        expected: &["RL407"],
        mutate: |item| set(item, "content", Value::Null),
    },
    FieldMutation {
        description: "an output as object",
        kinds: TEXT_OUTPUTS,
        expected: &["RL409"],
        mutate: |item| set(item, "output", json!({"ok": true})),
    },
    FieldMutation {
        description: "no output",
        kinds: TEXT_OUTPUTS,
        expected: &["RL409"],
        mutate: |item| drop(item.remove("output")),
    },
    FieldMutation {
        description: "an overlong output",
        kinds: TEXT_OUTPUTS,
        expected: &["RL415"],
        mutate: |item| set(item, "output", json!("x".repeat(10_485_761))),
    },
    FieldMutation {
        description: "arguments as object",
        kinds: &["function_call"],
        expected: &["RL410"],
        mutate: |item| set(item, "arguments", json!({"a": 1})),
    },
    FieldMutation {
        description: "parsed arguments",
        kinds: &["function_call"],
        expected: &["RL401"],
        mutate: |item| set(item, "parsed_arguments", json!({})),
    },
    FieldMutation {
        description: "sources of a search",
        kinds: &["web_search_call"],
        expected: &["RL401"],
        mutate: |item| set(item, "action", json!({"type": "search", "query": "q", "sources": []})),
    },
    FieldMutation {
        description: "Chat's reasoning",
        kinds: &["message"],
        expected: &["RL402"],
        mutate: |item| set(item, "reasoning_content", json!("Hm")),
    },
];

/// The number of requests on which overlong texts are tried: each takes megabytes.
const LONG_TEXTS: usize = 2;

fn set(item: &mut serde_json::Map<String, Value>, key: &str, value: Value) {
    item.insert(key.to_owned(), value);
}

/// The mutations that are errors with the target and settings of a request.
struct MutationScope {
    stored: bool,
    identity: bool,
    server_state: bool,
    plain: bool,
    long_texts: bool,
}

fn mutations(items: &[GroupedItem], scope: &MutationScope) -> Vec<ItemMutation> {
    let mut found = Vec::new();
    let mut add = |description, expected, group, mutate: &dyn Fn(&mut Vec<GroupedItem>)| {
        let mut items = items.to_vec();
        mutate(&mut items);
        found.push(ItemMutation { description, items, expected, group });
    };
    // The results of a cut or a splice, in any request.
    let own = items.len();
    let spliced = |value: Value| GroupedItem { value, group: own };
    if !scope.server_state {
        let output = json!({"type": "function_call_output", "call_id": "call_elsewhere", "output": "ok"});
        add("splice in an output", &["RL102"], own, &|items| items.push(spliced(output.clone())));
    }
    let call = json!({"type": "function_call", "call_id": "call_new", "name": "f", "arguments": "{}"});
    add("splice in a call", &["RL101"], own, &|items| items.insert(0, spliced(call.clone())));
    for (n, item) in items.iter().enumerate() {
        let (value, group) = (&item.value, item.group);
        // DeepSeek's own verdict on most fields is unknown, and two items of a kind per request are enough.
        let before = items[..n].iter().filter(|other| kind(&other.value) == kind(value)).count();
        let tried = scope.identity && before < 2;
        for field in FIELD_MUTATIONS.iter().filter(|field| tried && field.kinds.contains(&kind(value))) {
            if field.description != "an overlong output" || scope.long_texts {
                add(field.description, field.expected, group, &|items| {
                    (field.mutate)(items[n].value.as_object_mut().expect("an object"));
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
            if !scope.server_state {
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
        if is_client_call(value) && !scope.server_state {
            let answered = items.iter().any(|o| is_output(&o.value) && o.value["call_id"] == value["call_id"]);
            if answered {
                add("drop a call", &["RL102", "RL207"], group, &|items| {
                    items.remove(n);
                });
            }
        }
        if has_id && scope.identity && !is_output(value) {
            add("duplicate an item", &["RL301"], group, &|items| items.insert(n + 1, items[n].clone()));
        }
        if has_id && scope.identity && (is_client_call(value) || is_model_made(value)) {
            add("wrong prefix", &["RL302"], group, &|items| items[n].value["id"] = json!("toolu_01ABC"));
        }
        if kind(value) == "reasoning" {
            let followed = next.is_some_and(|next| next.value["id"].is_string() && is_model_made(&next.value));
            if has_id && followed && scope.identity {
                add("strip a follower's id", &["RL202"], group, &|items| {
                    items[n + 1].value.as_object_mut().expect("an object").remove("id");
                });
                add("fresh reasoning before an item with an id", &["RL201"], group, &|items| {
                    items[n].value.as_object_mut().expect("an object").remove("id");
                });
                if scope.stored {
                    add("move reasoning to the end", &["RL202"], group, &|items| {
                        let reasoning = items.remove(n);
                        items.push(reasoning);
                    });
                }
            }
            if !scope.stored && scope.identity && !scope.plain && value["encrypted_content"].is_string() {
                add("strip the blob", &["RL205"], group, &|items| {
                    items[n].value.as_object_mut().expect("an object").remove("encrypted_content");
                });
            }
        }
    }
    found
}

#[test]
fn each_mutation_is_found_and_repaired() {
    let Some(root) = corpus() else { return };
    let mut tally = MutationTally::default();
    let mut long_texts = 0;
    for (row, options) in responses(&root).into_iter().filter(|(row, _)| row.gold == "accepted") {
        let body: Value =
            serde_json::from_slice(&fs::read(root.join(&row.path)).expect("readable")).expect("JSON");
        let Some(input) = body["input"].as_array() else { continue };
        let target = options.target.expect("a target");
        let set = |key: &str| !body[key].is_null();
        let has_output = input.iter().any(|item| TEXT_OUTPUTS.contains(&kind(item)));
        long_texts += usize::from(has_output);
        let scope = MutationScope {
            stored: body["store"].as_bool().unwrap_or(target.store),
            identity: target.name != "deepseek",
            server_state: set("previous_response_id") || set("conversation"),
            long_texts: has_output && long_texts <= LONG_TEXTS,
            plain: body["model"].as_str().is_some_and(|model| model.starts_with("gpt-4")),
        };
        let mutation = mutations(&group_items(input), &scope);
        tally.requests += u32::from(!mutation.is_empty());
        let baseline = codes(&body, &options);
        for mutation in mutation {
            let mut body = body.clone();
            body["input"] = mutation.items.iter().map(|item| item.value.clone()).collect();
            judge(&mutation, &body, &options, &baseline, &row.path, &mut tally);
        }
    }
    tally.assert_rates(200);
}

fn codes(body: &Value, options: &Options) -> Vec<String> {
    let text = serde_json::to_vec(body).expect("JSON");
    diagnostics(&text, options).iter().map(|d| d.rule.to_string()).collect()
}

fn judge(
    mutation: &ItemMutation,
    body: &Value,
    options: &Options,
    baseline: &[String],
    path: &str,
    tally: &mut MutationTally,
) {
    let text = serde_json::to_vec(body).expect("JSON");
    let found = tally.judge(mutation.description, mutation.expected, &text, options, path);
    for diagnostic in found.iter().filter(|d| d.severity == Severity::Error) {
        let index = diagnostic.location.pointer.rsplit('/').next().and_then(|n| n.parse::<usize>().ok());
        let group = index.and_then(|n| mutation.items.get(n)).map(|item| item.group);
        let known = baseline.contains(&diagnostic.rule.to_string());
        assert!(
            known || group == Some(mutation.group),
            "{} in {path}: a finding on another group: {} at {}",
            mutation.description,
            diagnostic.message,
            diagnostic.location.pointer
        );
    }
}
