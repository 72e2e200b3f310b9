//! Mutations of accepted requests to Gemini and Bedrock, one change each, as in `mutations`: it is found, and the repair
//! corrects it.

use std::collections::BTreeMap;
use std::fs;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::rules::corpus::corpus;
use crate::rules::corpus_gemini_bedrock::requests;
use crate::support::{diagnostics, repair};

/// The keys of a dialect that the mutations change.
struct DialectKeys {
    format: &'static str,
    target: &'static str,
    /// The list of messages, and the list of blocks in one.
    messages: &'static str,
    blocks: &'static str,
    calls: &'static [&'static str],
    results: &'static [&'static str],
    model: &'static str,
    missing: &'static [&'static str],
    orphan: &'static [&'static str],
}

const GEMINI: DialectKeys = DialectKeys {
    format: "gemini-contents",
    target: "gemini",
    messages: "contents",
    blocks: "parts",
    calls: &["functionCall", "function_call"],
    results: &["functionResponse", "function_response"],
    model: "model",
    missing: &["RL560"],
    orphan: &["RL561"],
};

const BEDROCK: DialectKeys = DialectKeys {
    format: "bedrock-converse",
    target: "bedrock",
    messages: "messages",
    blocks: "content",
    calls: &["toolUse"],
    results: &["toolResult"],
    model: "assistant",
    missing: &["RL580"],
    orphan: &["RL581", "RL582"],
};

fn member<'v>(block: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| block.get(name)).filter(|val| !val.is_null())
}

struct TurnMutation {
    description: &'static str,
    expected: &'static [&'static str],
    messages: Vec<Value>,
}

impl DialectKeys {
    fn list<'v>(&self, message: &'v mut Value) -> &'v mut Vec<Value> {
        message[self.blocks].as_array_mut().expect("a list of blocks")
    }

    /// The blocks of these kinds by message and index, in the model's turns or in the user's.
    fn find(&self, messages: &[Value], names: &[&str], model: bool) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (m, message) in
            messages.iter().enumerate().filter(|(_, message)| (message["role"] == self.model) == model)
        {
            for (b, block) in message[self.blocks].as_array().into_iter().flatten().enumerate() {
                if member(block, names).is_some() {
                    found.push((m, b));
                }
            }
        }
        found
    }

    fn mutations(&self, messages: &[Value]) -> Vec<TurnMutation> {
        let mut found = Vec::new();
        let mut add = |description, expected, mutate: &dyn Fn(&mut Vec<Value>)| {
            let mut messages = messages.to_vec();
            mutate(&mut messages);
            found.push(TurnMutation { description, expected, messages });
        };
        let message = |role: &str, block: Value| json!({"role": role, self.blocks: [block]});
        let remove_block = |messages: &mut Vec<Value>, (m, b): (usize, usize)| {
            let block = self.list(&mut messages[m]).remove(b);
            if self.list(&mut messages[m]).is_empty() {
                messages.remove(m);
            }
            block
        };
        for at in self.find(messages, self.results, false) {
            add("drop a result", self.missing, &|messages| drop(remove_block(messages, at)));
            add("move a result to the end", self.missing, &|messages| {
                let block = remove_block(messages, at);
                messages.push(message("user", json!({"text": "Well?"})));
                messages.push(message(self.model, json!({"text": "Well."})));
                messages.push(message("user", block));
            });
            add("move a result to the front", self.missing, &|messages| {
                let block = remove_block(messages, at);
                messages.insert(0, message("user", block));
                messages.insert(1, message(self.model, json!({"text": "Well."})));
                messages.insert(2, message("user", json!({"text": "Go on."})));
            });
            add("a result twice", self.orphan, &|messages| {
                let block = messages[at.0][self.blocks][at.1].clone();
                self.list(&mut messages[at.0]).insert(at.1, block);
            });
            if self.target == "gemini" {
                add("a result without a name", &["RL563"], &|messages| {
                    let block = &mut messages[at.0][self.blocks][at.1];
                    for name in self.results {
                        if let Some(result) = block.get_mut(name) {
                            result["name"] = json!("");
                        }
                    }
                });
            } else {
                add("a foreign id", &["RL580", "RL581"], &|messages| {
                    messages[at.0][self.blocks][at.1]["toolResult"]["toolUseId"] = json!("tooluse_elsewhere");
                });
            }
        }
        for at in self.find(messages, self.calls, true) {
            let own = |name: &str| messages[at.0][self.blocks][at.1]["toolUse"][name].clone();
            let server = own("type") == "server_tool_use";
            if !server {
                add("drop a call", self.orphan, &|messages| drop(remove_block(messages, at)));
            }
            if self.target == "bedrock" {
                add("an input that is a text", &["RL584"], &|messages| {
                    let input = &mut messages[at.0]["content"][at.1]["toolUse"]["input"];
                    *input = json!(input.to_string());
                });
                add("an id with a bar", &["RL583"], &|messages| {
                    let old = messages[at.0]["content"][at.1]["toolUse"]["toolUseId"].clone();
                    for block in messages.iter_mut().flat_map(|message| self.list(message)) {
                        for side in ["toolUse", "toolResult"] {
                            if block[side]["toolUseId"] == old {
                                block[side]["toolUseId"] = json!("call|1");
                            }
                        }
                    }
                });
            }
        }
        // The results of a cut or a splice, in any request.
        let (call, result) = match self.target {
            "gemini" => (
                json!({"functionCall": {"name": "spliced", "args": {}}, "thoughtSignature": "c2ln"}),
                json!({"functionResponse": {"name": "spliced", "response": {}}}),
            ),
            _ => (
                json!({"toolUse": {"toolUseId": "spliced", "name": "spliced", "input": {}}}),
                json!({"toolResult": {"toolUseId": "spliced", "content": [{"text": "ok"}]}}),
            ),
        };
        add("splice in a call", self.missing, &|messages| {
            messages.push(message(self.model, call.clone()));
            messages.push(message("user", json!({"text": "Well?"})));
        });
        add("splice in a result", self.orphan, &|messages| messages.push(message("user", result.clone())));
        if self.target == "bedrock" {
            add("an empty message", &["RL585"], &|messages| {
                messages.push(json!({"role": "assistant", "content": []}));
                messages.push(message("user", json!({"text": "Well?"})));
            });
        } else {
            add("a role of another API", &["RL564"], &|messages| {
                messages.push(message("assistant", json!({"text": "Hm."})));
                messages.push(message("user", json!({"text": "Well?"})));
            });
        }
        found
    }
}

fn assert_each_mutation(keys: &DialectKeys) {
    let Some(root) = corpus() else { return };
    // Numbers of mutations: made, caught, healed.
    let mut tallies: BTreeMap<&'static str, [u32; 3]> = BTreeMap::new();
    for (row, options) in requests(&root, keys.format, keys.target) {
        let text = fs::read(root.join(&row.path)).expect("readable");
        let mut body: Value = serde_json::from_slice(&text).expect("JSON");
        let Some(messages) = body[keys.messages].as_array().cloned().filter(|_| row.gold == "accepted") else {
            continue;
        };
        if keys.target == "bedrock" && body.get("toolConfig").is_none() {
            body["toolConfig"] =
                json!({"tools": [{"toolSpec": {"name": "spliced", "inputSchema": {"json": {}}}}]});
        }
        for mutation in keys.mutations(&messages) {
            body[keys.messages] = mutation.messages.into();
            let tally = tallies.entry(mutation.description).or_default();
            let label = format!("{} in {}", mutation.description, row.path);
            tally[0] += 1;
            let (caught, healed) = judge(&body, &options, mutation.expected, &label);
            tally[1] += u32::from(caught);
            tally[2] += u32::from(healed);
        }
    }
    for (description, [made, caught, healed]) in &tallies {
        println!("{}: {description}: {made} made, {caught} caught, {healed} healed", keys.target);
    }
    let sum = |n: usize| tallies.values().map(|tally| tally[n]).sum::<u32>();
    let (made, caught, healed) = (sum(0), sum(1), sum(2));
    println!("{}: {made} mutations, {caught} caught, {healed} healed", keys.target);
    assert!(made >= 50, "{made} mutations");
    assert!(caught * 100 >= made * 97, "{caught} of {made} caught");
    assert!(healed * 100 >= made * 97, "{healed} of {made} healed");
}

fn judge(body: &Value, options: &Options, expected: &[&str], label: &str) -> (bool, bool) {
    let text = serde_json::to_vec(body).expect("JSON");
    let found = diagnostics(&text, options);
    let caught = found.iter().any(|d| expected.contains(&d.rule.to_string().as_str()));
    if !caught {
        println!("not caught: {label}: {found:?}");
    }
    let repaired = repair(&text, options, &FixOptions::default());
    let healed = repaired.remaining.iter().all(|d| d.severity != Severity::Error);
    if !healed {
        println!("not healed: {label}");
    }
    let again = repair(&repaired.text, options, &FixOptions::default());
    assert!(again.fixed.patch.is_empty(), "{label}: a second run still edits");
    (caught, healed)
}

#[test]
fn mutations_of_gemini_are_found_and_repaired() {
    assert_each_mutation(&GEMINI);
}

#[test]
fn mutations_of_bedrock_are_found_and_repaired() {
    assert_each_mutation(&BEDROCK);
}
