//! Mutations of accepted Anthropic requests, one change each: it is found, nothing else is, and the repair corrects it.

use std::collections::BTreeMap;
use std::fs;

use replaylint::internals::judge::Options;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::rules::anthropic::requests;
use crate::rules::corpus::corpus;
use crate::support::tally::MutationTally;

/// A request with one change, and the rules that may report it.
struct AnthropicMutation {
    description: &'static str,
    body: Value,
    expected: &'static [&'static str],
}

/// The place of a block: the index of its message, and its index in it.
type BlockPlace = (usize, usize);

fn blocks(body: &Value) -> Vec<(BlockPlace, &Value)> {
    let messages = body["messages"].as_array().expect("a list").iter().enumerate();
    let of = |(m, message): (usize, &'_ Value)| {
        let list = message["content"].as_array().map(Vec::as_slice).unwrap_or_default().to_vec();
        (0..list.len()).map(move |b| (m, b)).collect::<Vec<_>>()
    };
    messages.flat_map(of).map(|at| (at, &body["messages"][at.0]["content"][at.1])).collect()
}

fn list(body: &mut Value, message: usize) -> &mut Vec<Value> {
    body["messages"][message]["content"].as_array_mut().expect("a list of blocks")
}

/// Removes a block, and its message if that becomes empty.
fn remove_block(body: &mut Value, at: BlockPlace) -> Value {
    let block = list(body, at.0).remove(at.1);
    if list(body, at.0).is_empty() {
        body["messages"].as_array_mut().expect("a list").remove(at.0);
    }
    block
}

fn mutations(original: &Value) -> Vec<AnthropicMutation> {
    let mut found = Vec::new();
    let mut add = |description, expected, mutate: &dyn Fn(&mut Value)| {
        let mut body = original.clone();
        mutate(&mut body);
        found.push(AnthropicMutation { description, body, expected });
    };
    let insert = |body: &mut Value, at: usize, message: Value| {
        body["messages"].as_array_mut().expect("a list").insert(at, message);
    };
    add("splice in a result", &["RL531"], &|body| {
        let result = json!({"type": "tool_result", "tool_use_id": "toolu_elsewhere", "content": "ok"});
        insert(body, 0, json!({"role": "user", "content": [result]}));
    });
    add("splice in a call", &["RL530"], &|body| {
        let call = json!({"type": "tool_use", "id": "toolu_new", "name": "f", "input": {}});
        insert(body, 0, json!({"role": "assistant", "content": [call]}));
    });
    add("splice in an empty text", &["RL544"], &|body| {
        insert(
            body,
            0,
            json!({"role": "user", "content": [{"type": "text", "text": ""}, {"type": "text", "text": "hi"}]}),
        );
    });
    add("instructions among the messages", &["RL547"], &|body| {
        insert(body, 0, json!({"role": "system", "content": "Be brief"}));
    });
    add("many cache marks", &["RL545"], &|body| {
        let mark =
            |n: usize| json!({"type": "text", "text": n.to_string(), "cache_control": {"type": "ephemeral"}});
        insert(body, 0, json!({"role": "user", "content": (0..6).map(mark).collect::<Vec<_>>()}));
    });
    for (at, block) in blocks(original) {
        let kind = block["type"].as_str().unwrap_or_default();
        let key = &block["tool_use_id"];
        // Ids that are repeated in another turn are a case of their own.
        let calls = blocks(original).into_iter();
        let calls: Vec<BlockPlace> =
            calls.filter(|(_, call)| call["type"] == "tool_use" && call["id"] == *key).map(|(at, _)| at).collect();
        if let ([call_at], "tool_result") = (calls.as_slice(), kind) {
            let call_at = *call_at;
            add("drop a result", &["RL530"], &|body| drop(remove_block(body, at)));
            add("drop a call", &["RL531"], &|body| drop(remove_block(body, call_at)));
            add("result to the front", &["RL530"], &|body| {
                let result = remove_block(body, at);
                insert(body, 0, json!({"role": "user", "content": [result]}));
            });
            add("result after the next turn", &["RL530"], &|body| {
                let result = remove_block(body, at);
                let end = body["messages"].as_array().map_or(0, Vec::len);
                insert(body, end, json!({"role": "user", "content": "Well?"}));
                insert(body, end + 1, json!({"role": "assistant", "content": "Wait"}));
                insert(body, end + 2, json!({"role": "user", "content": [result]}));
            });
            add("a text before a result", &["RL530"], &|body| {
                list(body, at.0).insert(at.1, json!({"type": "text", "text": "Here:"}));
            });
            add("a message of the user before the results", &["RL530"], &|body| {
                insert(body, at.0, json!({"role": "user", "content": "Interrupted"}));
            });
            // Without the user's message the assistant's are one turn, in which a text may then follow a call.
            add("result among the assistant's blocks", &["RL534", "RL530"], &|body| {
                let result = remove_block(body, at);
                list(body, call_at.0).push(result);
            });
            add("a foreign id on a result", &["RL530", "RL531"], &|body| {
                list(body, at.0)[at.1]["tool_use_id"] = json!("toolu_foreign");
            });
            add("an id of another provider", &["RL537"], &|body| {
                list(body, at.0)[at.1]["tool_use_id"] = json!("functions.f:0");
                list(body, call_at.0)[call_at.1]["id"] = json!("functions.f:0");
            });
            add("duplicate a result", &["RL532"], &|body| {
                let copy = list(body, at.0)[at.1].clone();
                list(body, at.0).insert(at.1, copy);
            });
            add("duplicate a call", &["RL533"], &|body| {
                let copy = list(body, call_at.0)[call_at.1].clone();
                list(body, call_at.0).push(copy);
            });
            add("arguments as a text", &["RL538"], &|body| {
                let call = &mut list(body, call_at.0)[call_at.1];
                call["input"] = json!(call["input"].to_string());
            });
            add("no name", &["RL539", "RL531"], &|body| list(body, call_at.0)[call_at.1]["name"] = json!(""));
        }
        match kind {
            "thinking" => add("strip the signature", &["RL541"], &|body| {
                list(body, at.0)[at.1].as_object_mut().expect("an object").remove("signature");
            }),
            "text" => add("empty a text", &["RL544"], &|body| {
                list(body, at.0)[at.1]["text"] = json!("");
                list(body, at.0).insert(at.1, json!({"type": "text", "text": "x"}));
            }),
            _ => {}
        }
    }
    found
}

#[test]
fn each_mutation_is_found_and_repaired() {
    let Some(root) = corpus() else { return };
    let format = replaylint::internals::formats::by_name("anthropic-request");
    let mut tally = MutationTally::default();
    let mut others: BTreeMap<String, u32> = BTreeMap::new();
    for (row, options) in requests(&root).into_iter().filter(|(row, _)| row.gold == "accepted") {
        let options =
            Options { read: replaylint::internals::read::Options { format, ..Default::default() }, ..options };
        let text = fs::read(root.join(&row.path)).expect("readable");
        let body: Value = serde_json::from_slice(&text).expect("JSON");
        tally.requests += 1;
        for mutation in mutations(&body) {
            let text = serde_json::to_vec(&mutation.body).expect("JSON");
            let found = tally.judge(mutation.description, mutation.expected, &text, &options, &row.path);
            let errors = found.iter().filter(|d| d.severity == Severity::Error).map(|d| d.rule.to_string());
            for rule in errors.filter(|rule| !mutation.expected.contains(&rule.as_str())) {
                *others.entry(format!("{rule} after '{}'", mutation.description)).or_default() += 1;
            }
        }
    }
    tally.assert_rates(100);
    assert!(others.is_empty(), "other errors than those of the mutation: {others:?}");
}
