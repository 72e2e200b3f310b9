//! Generator of legal histories of the Responses API: rounds of a user's message and the responses to it, each of them a
//! run of reasoning, messages, hosted calls and parallel client calls, then the outputs.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::{ProofCase, ServerLinks, apply_damage, responses_damage};
use crate::support::rng::Rng;

/// Models of the requests.
const MODELS: [&str; 3] = ["gpt-5", "gpt-5-mini", "o4-mini"];

/// A history under construction.
pub struct ItemHistory {
    pub items: Vec<Value>,
    pub links: ServerLinks,
    /// The `store` of the request; `None` means true.
    pub store: Option<bool>,
    next: u32,
    /// True if the client stores ids.
    keeps_ids: bool,
    blobs: BlobPolicy,
}

/// Which reasoning items have encrypted content.
#[derive(Clone, Copy, PartialEq)]
enum BlobPolicy {
    All,
    None,
    Some,
}

impl ItemHistory {
    pub fn is_stored(&self) -> bool {
        self.store != Some(false)
    }

    /// A number that no other item has.
    pub fn next_number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn new(rng: &mut Rng) -> Self {
        let store = *rng.pick(&[None, None, Some(true), Some(false), Some(false)]);
        let keeps_ids = !rng.one_in(5);
        let free = [BlobPolicy::All, BlobPolicy::None, BlobPolicy::Some];
        let blobs = if store == Some(false) || !keeps_ids { BlobPolicy::All } else { *rng.pick(&free) };
        ItemHistory { items: Vec::new(), links: ServerLinks::default(), store, next: 0, keeps_ids, blobs }
    }

    pub fn add_user(&mut self, rng: &mut Rng) {
        let text = format!("ask <{}>", self.next_number());
        let content = match rng.one_in(3) {
            true => json!([{"type": "input_text", "text": text}]),
            false => json!(text),
        };
        self.items.push(json!({"role": "user", "content": content}));
    }

    fn set_id(&mut self, item: &mut Value, prefix: &str, without_ids: bool) -> Option<String> {
        if without_ids {
            return None;
        }
        let id = format!("{prefix}_p{:03}q", self.next_number());
        item["id"] = json!(id);
        Some(id)
    }

    fn add_reasoning(&mut self, rng: &mut Rng, without_ids: bool) -> Option<String> {
        let n = self.next_number();
        let blob = without_ids
            || !self.is_stored()
            || self.blobs == BlobPolicy::All
            || self.blobs == BlobPolicy::Some && rng.one_in(2);
        let mut item = match blob {
            true => json!({"type": "reasoning", "summary": [], "encrypted_content": format!("gAAAAA<{n}>")}),
            false => {
                json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": format!("think <{n}>")}]})
            }
        };
        let id = self.set_id(&mut item, "rs", without_ids);
        self.items.push(item);
        id
    }

    /// Links the items from an index on to their reasoning.
    fn link(&mut self, reasoning: Option<&str>, from: usize) {
        let Some(reasoning) = reasoning else { return };
        let id = |item: &Value| item["id"].as_str().map(str::to_owned);
        for (n, item) in self.items[from..].iter().enumerate() {
            let Some(id) = id(item) else { continue };
            if n == 0 {
                self.links.follower_of.insert(reasoning.to_owned(), id.clone());
            }
            self.links.reasoning_of.insert(id, reasoning.to_owned());
        }
    }

    fn add_message(&mut self, without_ids: bool) {
        let text = format!("say <{}>", self.next_number());
        let mut item = match without_ids {
            true => json!({"type": "message", "role": "assistant", "content": text}),
            false => json!({"type": "message", "role": "assistant", "status": "completed", "content": [
                {"type": "output_text", "text": text, "annotations": []}]}),
        };
        self.set_id(&mut item, "msg", without_ids);
        self.items.push(item);
    }

    /// Adds a call of a kind of tool, and returns its output.
    pub fn add_call(&mut self, family: &str, without_ids: bool) -> Value {
        let n = self.next_number();
        let call_id = format!("call_{n:03}");
        let kind = format!("{family}_call");
        let (prefix, mut item) = match family {
            "function" => ("fc", json!({"name": "f", "arguments": format!("{{\"n\": {n}}}")})),
            "custom" => ("ctc", json!({"name": "f", "input": format!("do <{n}>")})),
            "local_shell" => (
                "lsh",
                json!({"action": {"type": "exec", "command": ["ls", n.to_string()], "env": {}}, "status": "completed"}),
            ),
            "shell" => ("sh", json!({"action": {"commands": [format!("ls {n}")]}, "status": "completed"})),
            "apply_patch" => (
                "apc",
                json!({"operation": {"type": "delete_file", "path": format!("a{n}.txt")}, "status": "completed"}),
            ),
            _ => (
                "cu",
                json!({"action": {"type": "click", "button": "left", "x": n, "y": 1}, "pending_safety_checks": [],
                    "status": "completed"}),
            ),
        };
        item["type"] = json!(kind);
        item["call_id"] = json!(call_id);
        if let Some(id) = self.set_id(&mut item, prefix, without_ids) {
            self.links.call_id_of.insert(id, call_id.clone());
        }
        self.items.push(item);
        let text = format!("result <{n}>");
        let mut output = match family {
            "shell" => {
                json!({"output": [{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]})
            }
            "computer" => {
                json!({"output": {"type": "computer_screenshot", "image_url": format!("data:image/png;base64,iVBO{n:04}")}})
            }
            "apply_patch" => json!({"output": text, "status": "completed"}),
            _ => json!({"output": text}),
        };
        output["type"] = json!(format!("{kind}_output"));
        output["call_id"] = json!(call_id);
        if family == "local_shell" {
            output["id"] = json!(call_id);
        }
        if family == "function" {
            output["type"] = json!("function_call_output");
        } else if family == "custom" {
            output["type"] = json!("custom_tool_call_output");
            self.items.last_mut().expect("just pushed")["type"] = json!("custom_tool_call");
        }
        output
    }

    pub fn add_hosted_call(&mut self, kind: &str) {
        let n = self.next_number();
        let (prefix, mut item) = match kind {
            "web_search_call" => (
                "ws",
                json!({"status": "completed", "action": {"type": "search", "query": format!("look <{n}>")}}),
            ),
            "code_interpreter_call" => (
                "ci",
                json!({"status": "completed", "container_id": "cntr_1", "code": format!("print({n})"),
                    "outputs": [{"type": "logs", "logs": format!("log <{n}>")}]}),
            ),
            "file_search_call" => {
                ("fs", json!({"status": "completed", "queries": [format!("find <{n}>")], "results": null}))
            }
            _ => (
                "mcp",
                json!({"server_label": "s", "name": "n", "arguments": format!("{{\"n\": {n}}}"), "output": format!("did <{n}>")}),
            ),
        };
        item["type"] = json!(kind);
        self.set_id(&mut item, prefix, false);
        self.items.push(item);
    }

    /// Adds one response and the client's outputs; true if it ends the turn. `room` is the number of items to add at most.
    fn add_response(&mut self, rng: &mut Rng, room: usize) -> bool {
        let without_ids = !self.keeps_ids;
        let hosted = !without_ids && room > 3 && rng.one_in(4);
        let reasons = hosted || rng.one_in(4) || !rng.one_in(3);
        let mut reasoning = reasons.then(|| self.add_reasoning(rng, without_ids)).flatten();
        let mut from = self.items.len();
        if hosted {
            let kind = HOSTED_KINDS[rng.below(HOSTED_KINDS.len())];
            self.add_hosted_call(kind);
            if rng.one_in(2) {
                self.link(reasoning.as_deref(), from);
                reasoning = self.add_reasoning(rng, without_ids);
                from = self.items.len();
            }
        }
        let ends = room < 3 || rng.one_in(3);
        let mut outputs = Vec::new();
        if ends {
            self.add_message(without_ids);
        } else {
            if rng.one_in(5) {
                self.add_message(without_ids);
            }
            let calls = 1 + if room > 5 { rng.below(3) } else { 0 };
            for _ in 0..calls {
                // Some kinds of calls cannot be sent without their ids.
                let family = *rng.pick(&FAMILIES);
                let family =
                    if without_ids && ["local_shell", "computer"].contains(&family) { "custom" } else { family };
                outputs.push(self.add_call(family, without_ids));
            }
        }
        self.link(reasoning.as_deref(), from);
        if rng.one_in(4) {
            outputs.reverse();
        }
        self.items.extend(outputs);
        ends
    }

    /// Replaces some items of a stored response by references.
    fn use_references(&mut self, rng: &mut Rng) {
        if !self.is_stored() || !rng.one_in(4) {
            return;
        }
        // A response that is one message with its reasoning is referenced as a whole.
        let is = |item: &Value, kind: &str| item["type"] == kind && item["id"].is_string();
        let Some(at) = self.items.windows(2).position(|two| is(&two[0], "reasoning") && is(&two[1], "message"))
        else {
            return;
        };
        if self.items.get(at + 2).is_none_or(|next| next["role"] == "user") {
            for item in &mut self.items[at..at + 2] {
                *item = json!({"type": "item_reference", "id": item["id"]});
            }
        }
    }
}

/// Types of calls that the provider runs.
pub const HOSTED_KINDS: [&str; 4] = ["web_search_call", "code_interpreter_call", "mcp_call", "file_search_call"];

/// Kinds of tools; most calls are of functions.
const FAMILIES: [&str; 12] = [
    "function",
    "function",
    "function",
    "function",
    "function",
    "function",
    "function",
    "custom",
    "local_shell",
    "shell",
    "apply_patch",
    "computer",
];

/// Inserts a response between two turns: reasoning, then the items that `make` adds, linked to it.
pub fn insert_response(
    rng: &mut Rng,
    history: &mut ItemHistory,
    make: fn(&mut Rng, &mut ItemHistory),
) -> Option<()> {
    let starts = |n: usize, items: &[Value]| items.get(n).is_none_or(|item| item["role"] == "user") && n > 0;
    let places: Vec<usize> = (0..=history.items.len()).filter(|n| starts(*n, &history.items)).collect();
    let at = if places.is_empty() { return None } else { *rng.pick(&places) };
    let rest = history.items.split_off(at);
    if !history.items.last().is_some_and(|item| item["role"] == "user") {
        history.add_user(rng);
    }
    let reasoning = history.add_reasoning(rng, false);
    let from = history.items.len();
    make(rng, history);
    // The client's outputs are not linked.
    let linked =
        history.items[from..].iter().take_while(|item| !item["type"].as_str().unwrap_or("").ends_with("output"));
    let end = from + linked.count();
    let outputs = history.items.split_off(end);
    history.link(reasoning.as_deref(), from);
    history.items.extend(outputs);
    if rest.is_empty() || rng.one_in(2) {
        history.add_user(rng);
    }
    history.items.extend(rest);
    Some(())
}

pub fn generate(rng: &mut Rng) -> ProofCase {
    let mut history = ItemHistory::new(rng);
    let size = 2 + rng.below(13).min(rng.below(13));
    while history.items.len() < size {
        history.add_user(rng);
        while history.items.len() < size && !history.add_response(rng, size - history.items.len()) {}
    }
    if rng.one_in(2) {
        history.add_user(rng);
    }
    history.use_references(rng);
    let damage = apply_damage(rng, &mut history, responses_damage::KINDS);
    let mut body = json!({"model": rng.pick(&MODELS), "input": history.items});
    if let Some(store) = history.store {
        body["store"] = json!(store);
    }
    ProofCase { dialect: Dialect::Responses, body, model: None, damage, links: history.links }
}

pub fn continuation() -> Vec<Value> {
    vec![
        json!({"role": "user", "content": "ask <later>"}),
        json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAA<later>", "id": "rs_later"}),
        json!({"type": "function_call", "id": "fc_later", "call_id": "call_later", "name": "f", "arguments": "{\"n\": \"later\"}"}),
        json!({"type": "function_call_output", "call_id": "call_later", "output": "result <later>"}),
    ]
}
