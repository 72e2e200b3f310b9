//! Legal histories of the Responses API: rounds of a user's message and the responses to it, each of them a run of
//! reasoning, messages, hosted calls and parallel client calls, then the outputs.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::{Case, Truth, damaged, responses_damage};
use crate::support::rng::Rng;

/// The reasoning models that histories are for.
const MODELS: [&str; 3] = ["gpt-5", "gpt-5-mini", "o4-mini"];

pub struct History {
    pub items: Vec<Value>,
    pub truth: Truth,
    /// As the request says: `None` is true.
    pub store: Option<bool>,
    next: u32,
    /// Whether the client keeps ids.
    ids: bool,
    blobs: Blobs,
}

#[derive(Clone, Copy, PartialEq)]
enum Blobs {
    All,
    None,
    Some,
}

impl History {
    pub fn is_stored(&self) -> bool {
        self.store != Some(false)
    }

    /// A number that no other item has.
    pub fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn new(rng: &mut Rng) -> Self {
        let store = *rng.pick(&[None, None, Some(true), Some(false), Some(false)]);
        let ids = !rng.one_in(5);
        let free = [Blobs::All, Blobs::None, Blobs::Some];
        let blobs = if store == Some(false) || !ids { Blobs::All } else { *rng.pick(&free) };
        History { items: Vec::new(), truth: Truth::default(), store, next: 0, ids, blobs }
    }

    pub fn user(&mut self, rng: &mut Rng) {
        let text = format!("ask <{}>", self.number());
        let content = match rng.one_in(3) {
            true => json!([{"type": "input_text", "text": text}]),
            false => json!(text),
        };
        self.items.push(json!({"role": "user", "content": content}));
    }

    fn identify(&mut self, item: &mut Value, prefix: &str, fresh: bool) -> Option<String> {
        if fresh {
            return None;
        }
        let id = format!("{prefix}_p{:03}q", self.number());
        item["id"] = json!(id);
        Some(id)
    }

    fn reasoning(&mut self, rng: &mut Rng, fresh: bool) -> Option<String> {
        let n = self.number();
        let blob =
            fresh || !self.is_stored() || self.blobs == Blobs::All || self.blobs == Blobs::Some && rng.one_in(2);
        let mut item = match blob {
            true => json!({"type": "reasoning", "summary": [], "encrypted_content": format!("gAAAAA<{n}>")}),
            false => {
                json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": format!("think <{n}>")}]})
            }
        };
        let id = self.identify(&mut item, "rs", fresh);
        self.items.push(item);
        id
    }

    /// Links what the last response added after its reasoning.
    fn link(&mut self, reasoning: Option<&str>, from: usize) {
        let Some(reasoning) = reasoning else { return };
        let id = |item: &Value| item["id"].as_str().map(str::to_owned);
        for (n, item) in self.items[from..].iter().enumerate() {
            let Some(id) = id(item) else { continue };
            if n == 0 {
                self.truth.follower_of.insert(reasoning.to_owned(), id.clone());
            }
            self.truth.reasoning_of.insert(id, reasoning.to_owned());
        }
    }

    fn message(&mut self, fresh: bool) {
        let text = format!("say <{}>", self.number());
        let mut item = match fresh {
            true => json!({"type": "message", "role": "assistant", "content": text}),
            false => json!({"type": "message", "role": "assistant", "status": "completed", "content": [
                {"type": "output_text", "text": text, "annotations": []}]}),
        };
        self.identify(&mut item, "msg", fresh);
        self.items.push(item);
    }

    /// A call of a family, and its output.
    pub fn call(&mut self, family: &str, fresh: bool) -> Value {
        let n = self.number();
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
        if let Some(id) = self.identify(&mut item, prefix, fresh) {
            self.truth.call_id_of.insert(id, call_id.clone());
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

    pub fn hosted(&mut self, kind: &str) {
        let n = self.number();
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
        self.identify(&mut item, prefix, false);
        self.items.push(item);
    }

    /// One response, and the outputs that the client answers it with: whether it ends the turn.
    fn response(&mut self, rng: &mut Rng, room: usize) -> bool {
        let fresh = !self.ids;
        let hosted = !fresh && room > 3 && rng.one_in(4);
        let reasons = hosted || rng.one_in(4) || !rng.one_in(3);
        let mut reasoning = reasons.then(|| self.reasoning(rng, fresh)).flatten();
        let mut from = self.items.len();
        if hosted {
            let kind = HOSTED[rng.below(HOSTED.len())];
            self.hosted(kind);
            if rng.one_in(2) {
                self.link(reasoning.as_deref(), from);
                reasoning = self.reasoning(rng, fresh);
                from = self.items.len();
            }
        }
        let ends = room < 3 || rng.one_in(3);
        let mut outputs = Vec::new();
        if ends {
            self.message(fresh);
        } else {
            if rng.one_in(5) {
                self.message(fresh);
            }
            let calls = 1 + if room > 5 { rng.below(3) } else { 0 };
            for _ in 0..calls {
                // Some kinds of calls cannot be sent without their ids.
                let family = *rng.pick(&FAMILIES);
                let family =
                    if fresh && ["local_shell", "computer"].contains(&family) { "custom" } else { family };
                outputs.push(self.call(family, fresh));
            }
        }
        self.link(reasoning.as_deref(), from);
        if rng.one_in(4) {
            outputs.reverse();
        }
        self.items.extend(outputs);
        ends
    }

    /// Some of what a stored response holds, by reference.
    fn refer(&mut self, rng: &mut Rng) {
        if !self.is_stored() || !rng.one_in(4) {
            return;
        }
        // A response that is one message with its reasoning, referenced as a whole.
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

pub const HOSTED: [&str; 4] = ["web_search_call", "code_interpreter_call", "mcp_call", "file_search_call"];

/// Functions are what most calls are of.
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

/// A response of its own, put at a place between the turns: reasoning, then what is asked for. What it added is linked.
pub fn insert_response(rng: &mut Rng, history: &mut History, make: fn(&mut Rng, &mut History)) -> Option<()> {
    let starts = |n: usize, items: &[Value]| items.get(n).is_none_or(|item| item["role"] == "user") && n > 0;
    let places: Vec<usize> = (0..=history.items.len()).filter(|n| starts(*n, &history.items)).collect();
    let at = if places.is_empty() { return None } else { *rng.pick(&places) };
    let rest = history.items.split_off(at);
    if !history.items.last().is_some_and(|item| item["role"] == "user") {
        history.user(rng);
    }
    let reasoning = history.reasoning(rng, false);
    let from = history.items.len();
    make(rng, history);
    // What is a client's is not linked.
    let made =
        history.items[from..].iter().take_while(|item| !item["type"].as_str().unwrap_or("").ends_with("output"));
    let end = from + made.count();
    let outputs = history.items.split_off(end);
    history.link(reasoning.as_deref(), from);
    history.items.extend(outputs);
    if rest.is_empty() || rng.one_in(2) {
        history.user(rng);
    }
    history.items.extend(rest);
    Some(())
}

pub fn case(rng: &mut Rng) -> Case {
    let mut history = History::new(rng);
    let size = 2 + rng.below(13).min(rng.below(13));
    while history.items.len() < size {
        history.user(rng);
        while history.items.len() < size && !history.response(rng, size - history.items.len()) {}
    }
    if rng.one_in(2) {
        history.user(rng);
    }
    history.refer(rng);
    let damage = damaged(rng, &mut history, responses_damage::KINDS);
    let mut body = json!({"model": rng.pick(&MODELS), "input": history.items});
    if let Some(store) = history.store {
        body["store"] = json!(store);
    }
    Case { dialect: Dialect::Responses, body, model: None, damage, truth: history.truth }
}

pub fn continuation() -> Vec<Value> {
    vec![
        json!({"role": "user", "content": "ask <later>"}),
        json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAA<later>", "id": "rs_later"}),
        json!({"type": "function_call", "id": "fc_later", "call_id": "call_later", "name": "f", "arguments": "{\"n\": \"later\"}"}),
        json!({"type": "function_call_output", "call_id": "call_later", "output": "result <later>"}),
    ]
}
