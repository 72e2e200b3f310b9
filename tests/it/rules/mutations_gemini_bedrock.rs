//! Accepted requests to Gemini and Bedrock, broken in one place each, as in `mutations`: the break is found, and the
//! repair heals it.

use std::collections::BTreeMap;
use std::fs;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::rules::corpus::corpus;
use crate::rules::corpus_gemini_bedrock::requests;
use crate::support::{diagnostics, repair};

/// How a dialect names what the breaks touch.
struct Words {
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

const GEMINI: Words = Words {
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

const BEDROCK: Words = Words {
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

struct Broken {
    what: &'static str,
    expected: &'static [&'static str],
    messages: Vec<Value>,
}

impl Words {
    fn list<'v>(&self, message: &'v mut Value) -> &'v mut Vec<Value> {
        message[self.blocks].as_array_mut().expect("a list of blocks")
    }

    /// Blocks of these kinds by message and index, in turns of one side.
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

    fn breaks(&self, messages: &[Value]) -> Vec<Broken> {
        let mut found = Vec::new();
        let mut add = |what, expected, make: &dyn Fn(&mut Vec<Value>)| {
            let mut messages = messages.to_vec();
            make(&mut messages);
            found.push(Broken { what, expected, messages });
        };
        let message = |role: &str, block: Value| json!({"role": role, self.blocks: [block]});
        let take = |messages: &mut Vec<Value>, (m, b): (usize, usize)| {
            let block = self.list(&mut messages[m]).remove(b);
            if self.list(&mut messages[m]).is_empty() {
                messages.remove(m);
            }
            block
        };
        for at in self.find(messages, self.results, false) {
            add("drop a result", self.missing, &|messages| drop(take(messages, at)));
            add("move a result to the end", self.missing, &|messages| {
                let block = take(messages, at);
                messages.push(message("user", json!({"text": "Well?"})));
                messages.push(message(self.model, json!({"text": "Well."})));
                messages.push(message("user", block));
            });
            add("move a result to the front", self.missing, &|messages| {
                let block = take(messages, at);
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
                add("drop a call", self.orphan, &|messages| drop(take(messages, at)));
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
        // What a cut or a splice leaves behind, in any request.
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

fn one_break_at_a_time(words: &Words) {
    let Some(root) = corpus() else { return };
    // Made, caught, healed.
    let mut tallies: BTreeMap<&'static str, [u32; 3]> = BTreeMap::new();
    for (row, options) in requests(&root, words.format, words.target) {
        let text = fs::read(root.join(&row.path)).expect("readable");
        let mut body: Value = serde_json::from_slice(&text).expect("JSON");
        let Some(messages) = body[words.messages].as_array().cloned().filter(|_| row.gold == "accepted") else {
            continue;
        };
        if words.target == "bedrock" && body.get("toolConfig").is_none() {
            body["toolConfig"] =
                json!({"tools": [{"toolSpec": {"name": "spliced", "inputSchema": {"json": {}}}}]});
        }
        for broken in words.breaks(&messages) {
            body[words.messages] = broken.messages.into();
            let tally = tallies.entry(broken.what).or_default();
            let told = format!("{} in {}", broken.what, row.path);
            tally[0] += 1;
            let (caught, healed) = judge(&body, &options, broken.expected, &told);
            tally[1] += u32::from(caught);
            tally[2] += u32::from(healed);
        }
    }
    for (what, [made, caught, healed]) in &tallies {
        println!("{}: {what}: {made} made, {caught} caught, {healed} healed", words.target);
    }
    let sum = |n: usize| tallies.values().map(|tally| tally[n]).sum::<u32>();
    let (made, caught, healed) = (sum(0), sum(1), sum(2));
    println!("{}: {made} breaks, {caught} caught, {healed} healed", words.target);
    assert!(made >= 50, "{made} breaks");
    assert!(caught * 100 >= made * 97, "{caught} of {made} caught");
    assert!(healed * 100 >= made * 97, "{healed} of {made} healed");
}

fn judge(body: &Value, options: &Options, expected: &[&str], told: &str) -> (bool, bool) {
    let text = serde_json::to_vec(body).expect("JSON");
    let found = diagnostics(&text, options);
    let caught = found.iter().any(|d| expected.contains(&d.rule.to_string().as_str()));
    if !caught {
        println!("not caught: {told}: {found:?}");
    }
    let repaired = repair(&text, options, &FixOptions::default());
    let healed = repaired.left.iter().all(|d| d.severity != Severity::Error);
    if !healed {
        println!("not healed: {told}");
    }
    let again = repair(&repaired.text, options, &FixOptions::default());
    assert!(again.fixed.patch.is_empty(), "{told}: a second run still edits");
    (caught, healed)
}

#[test]
fn breaks_of_gemini_are_found_and_healed() {
    one_break_at_a_time(&GEMINI);
}

#[test]
fn breaks_of_bedrock_are_found_and_healed() {
    one_break_at_a_time(&BEDROCK);
}
