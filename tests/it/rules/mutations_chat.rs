//! Mutations of accepted requests of Chat Completions, one change each: it is found, nothing else is, and the repair
//! corrects it.

use std::fs;

use replaylint::internals::judge::Options;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::rules::corpus::{chats, corpus};
use crate::support::tally::MutationTally;

struct ChatMutation {
    description: &'static str,
    messages: Vec<Value>,
    /// One of these must be found, and no error of any other rule.
    expected: &'static [&'static str],
}

fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default()
}

fn has_calls(message: &Value) -> bool {
    message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty())
}

fn mutations(messages: &[Value]) -> Vec<ChatMutation> {
    let mut found = Vec::new();
    let mut add = |description, expected, mutate: &dyn Fn(&mut Vec<Value>)| {
        let mut messages = messages.to_vec();
        mutate(&mut messages);
        found.push(ChatMutation { description, messages, expected });
    };
    let user = || json!({"role": "user", "content": "go on"});
    let call = || json!({"id": "new123456", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    add("splice in a reply", &["RL502"], &|messages| {
        messages.push(user());
        messages.push(json!({"role": "tool", "tool_call_id": "elsewher1", "content": "ok"}));
        messages.push(user());
    });
    add("splice in a call", &["RL501"], &|messages| {
        messages.push(json!({"role": "assistant", "content": "I look", "tool_calls": [call()]}));
        messages.push(user());
    });
    add("end with a call", &["RL501"], &|messages| {
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call()]}));
    });
    add("a name with a space", &["RL510"], &|messages| messages[0]["name"] = json!("Ada Lovelace"));
    for (n, message) in messages.iter().enumerate() {
        match role(message) {
            "user" => add("null for content", &["RL507"], &|messages| messages[n]["content"] = Value::Null),
            "tool" if !message["tool_call_id"].is_string() => {
                // Only its place determines which call it answers: elsewhere it answers none.
                add("drop a reply", &["RL501", "RL506"], &|messages| drop(messages.remove(n)));
                add("a user before a reply", &["RL501", "RL506"], &|messages| messages.insert(n, user()));
                add("duplicate a reply", &["RL506"], &|messages| messages.insert(n + 1, messages[n].clone()));
                add("a foreign id", &["RL501", "RL502"], &|messages| {
                    messages[n]["tool_call_id"] = json!("foreign12");
                });
            }
            "tool" => {
                let id = message["tool_call_id"].clone();
                add("drop a reply", &["RL501"], &|messages| drop(messages.remove(n)));
                add("move a reply to the end", &["RL501"], &|messages| {
                    let reply = messages.remove(n);
                    messages.push(user());
                    messages.push(reply);
                    messages.push(json!({"role": "assistant", "content": "Thanks"}));
                    messages.push(user());
                });
                add("move a reply to the start", &["RL501"], &|messages| {
                    let reply = messages.remove(n);
                    messages.insert(0, reply);
                });
                add("a user before a reply", &["RL501"], &|messages| messages.insert(n, user()));
                add("duplicate a reply", &["RL503"], &|messages| messages.insert(n + 1, messages[n].clone()));
                add("a foreign id", &["RL501", "RL502"], &|messages| {
                    messages[n]["tool_call_id"] = json!("foreign12");
                });
                add("no id", &["RL506", "RL501"], &|messages| {
                    messages[n].as_object_mut().expect("an object").remove("tool_call_id");
                });
                add("an id of 70 characters", &["RL505", "RL518"], &|messages| {
                    let long = json!(format!("call_{}", "x".repeat(65)));
                    messages[n]["tool_call_id"] = long.clone();
                    let calls =
                        messages[..n].iter_mut().filter_map(|message| message["tool_calls"].as_array_mut());
                    for call in calls.flatten().filter(|call| call["id"] == id) {
                        call["id"] = long.clone();
                    }
                });
            }
            "assistant" if has_calls(message) => {
                // A reply without an id answers by its place.
                let unnamed = messages[n + 1..].iter().take_while(|reply| role(reply) == "tool");
                let unnamed = unnamed.filter(|reply| !reply["tool_call_id"].is_string()).count();
                let orphan: &[&str] = if unnamed > 0 { &["RL506"] } else { &["RL502"] };
                add("drop a message with calls", orphan, &|messages| drop(messages.remove(n)));
                add("drop a call", orphan, &|messages| {
                    let calls = messages[n]["tool_calls"].as_array_mut().expect("calls");
                    calls.remove(0);
                    if calls.is_empty() {
                        messages[n].as_object_mut().expect("an object").remove("tool_calls");
                        messages[n]["content"] = json!("I looked");
                    }
                });
                add("one id twice", &["RL504"], &|messages| {
                    let calls = messages[n]["tool_calls"].as_array_mut().expect("calls");
                    let (copy, id) = (calls[0].clone(), calls[0]["id"].clone());
                    calls.insert(1, copy);
                    let reply = |message: &Value| {
                        let own = message["tool_call_id"].as_str();
                        role(message) == "tool" && own.is_none_or(|own| id == own)
                    };
                    if let Some(at) = messages[n..].iter().position(reply) {
                        messages.insert(n + at + 1, messages[n + at].clone());
                    }
                });
            }
            "assistant" => {
                add("no calls in the list", &["RL508"], &|messages| messages[n]["tool_calls"] = json!([]));
                add("an empty text", &["RL519"], &|messages| {
                    messages[n] = json!({"role": "assistant", "content": ""});
                });
            }
            _ => {}
        }
    }
    found
}

#[test]
fn each_mutation_of_a_chat_is_found_and_repaired() {
    let Some(root) = corpus() else { return };
    let mut tally = MutationTally::default();
    for (row, options) in chats(&root).into_iter().filter(|(row, _)| row.gold == "accepted") {
        let body: Value =
            serde_json::from_slice(&fs::read(root.join(&row.path)).expect("readable")).expect("JSON");
        let Some(messages) = body["messages"].as_array() else { continue };
        tally.requests += 1;
        for mutation in mutations(messages) {
            let mut body = body.clone();
            body["messages"] = Value::Array(mutation.messages.clone());
            judge(&mutation, &body, &options, &row.path, &mut tally);
        }
    }
    tally.assert_rates(100);
}

fn judge(mutation: &ChatMutation, body: &Value, options: &Options, path: &str, tally: &mut MutationTally) {
    let text = serde_json::to_vec(body).expect("JSON");
    let found = tally.judge(mutation.description, mutation.expected, &text, options, path);
    // An inserted message may be where Mistral requires another role, or lack DeepSeek's reasoning.
    let side_effects = ["RL514", "RL516", "RL517"];
    for diagnostic in found.iter().filter(|d| d.severity == Severity::Error) {
        let rule = diagnostic.rule.to_string();
        let expected = mutation.expected.contains(&rule.as_str()) || side_effects.contains(&rule.as_str());
        assert!(
            expected,
            "{} in {path}: {rule} {} at {}",
            mutation.description, diagnostic.message, diagnostic.location.pointer
        );
    }
}
