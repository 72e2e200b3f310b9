//! Generator of legal histories of messages with blocks, independent of the dialect: turns of the user and the model, with
//! parallel calls, thinking, and results.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::write::{write_body, write_message};
use super::{ProofCase, ServerLinks, apply_damage, messages_damage};
use crate::support::rng::Rng;

/// A block of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Text(String),
    Image(u32),
    Call(CallBlock),
    Result(ResultBlock),
    Thinking { n: u32, is_signed: bool },
}

/// A tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallBlock {
    /// Gemini's calls may have none.
    pub key: Option<String>,
    pub name: &'static str,
    pub n: u32,
    /// True for arguments as a string instead of an object.
    pub is_text: bool,
    /// Gemini 3 signs the first call of a step.
    pub is_signed: bool,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultBlock {
    pub key: Option<String>,
    pub name: &'static str,
    pub text: String,
}

/// A message of the user or of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedMessage {
    pub is_model: bool,
    pub blocks: Vec<Block>,
}

/// A history under construction.
pub struct MessageHistory {
    pub dialect: Dialect,
    pub messages: Vec<GeneratedMessage>,
    pub model: &'static str,
    /// Chat: indices of messages whose content is null.
    pub null_content: Vec<usize>,
    /// Chat: indices of messages whose list of calls is empty.
    pub empty_calls: Vec<usize>,
    next: u32,
    has_keys: bool,
}

const NAMES: [&str; 2] = ["f", "g"];

impl MessageHistory {
    pub fn next_number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn new(dialect: Dialect, rng: &mut Rng) -> Self {
        let models: &[&'static str] = match dialect {
            Dialect::Anthropic => &["claude-sonnet-4-5", "claude-sonnet-4-5", "claude-sonnet-5"],
            Dialect::Gemini => &["gemini-2.5-pro", "gemini-3-pro-preview"],
            Dialect::Bedrock => &["us.anthropic.claude-sonnet-4-5", "amazon.nova-pro-v1:0"],
            _ => &["gpt-4o", "gpt-5"],
        };
        let has_keys = dialect != Dialect::Gemini || rng.one_in(2);
        MessageHistory {
            dialect,
            messages: Vec::new(),
            model: models[rng.below(models.len())],
            null_content: Vec::new(),
            empty_calls: Vec::new(),
            next: 0,
            has_keys,
        }
    }

    /// True if the model accepts a history that ends with its own words.
    pub fn accepts_prefill(&self) -> bool {
        self.model == "claude-sonnet-4-5" || self.dialect == Dialect::Chat
    }

    fn can_think(&self) -> bool {
        self.dialect == Dialect::Anthropic || self.model.contains("claude")
    }

    pub fn key(&self, n: u32) -> Option<String> {
        let prefix = match self.dialect {
            Dialect::Anthropic => "toolu",
            Dialect::Bedrock => "tooluse",
            _ => "call",
        };
        self.has_keys.then(|| format!("{prefix}_{n:03}"))
    }

    pub fn add_user(&mut self, rng: &mut Rng) {
        let text = |h: &mut MessageHistory| Block::Text(format!("ask <{}>", h.next_number()));
        let mut blocks = vec![text(self)];
        if rng.one_in(6) {
            blocks.push(text(self));
        }
        if rng.one_in(10) && self.dialect != Dialect::Chat {
            blocks.push(Block::Image(self.next_number()));
        }
        self.messages.push(GeneratedMessage { is_model: false, blocks });
    }

    /// Adds a message of the model, and returns the results of its calls.
    pub fn add_step(&mut self, rng: &mut Rng, calls: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        if self.can_think() && rng.one_in(2) {
            blocks.push(Block::Thinking { n: self.next_number(), is_signed: true });
        }
        if calls == 0 || rng.one_in(2) {
            blocks.push(Block::Text(format!("say <{}>", self.next_number())));
        }
        let mut results = Vec::new();
        for nth in 0..calls {
            let n = self.next_number();
            let (key, name) = (self.key(n), *rng.pick(&NAMES));
            let is_signed = nth == 0 && self.model.starts_with("gemini-3");
            blocks.push(Block::Call(CallBlock { key: key.clone(), name, n, is_text: false, is_signed }));
            results.push(Block::Result(ResultBlock { key, name, text: format!("result <{n}>") }));
        }
        self.messages.push(GeneratedMessage { is_model: true, blocks });
        if self.has_keys && rng.one_in(4) {
            results.reverse();
        }
        results
    }
}

pub fn generate(dialect: Dialect, rng: &mut Rng) -> ProofCase {
    let mut history = MessageHistory::new(dialect, rng);
    let size = 2 + rng.below(9).min(rng.below(9));
    while history.messages.len() < size {
        history.add_user(rng);
        while history.messages.len() < size {
            let ends = rng.one_in(3);
            let calls = if ends { 0 } else { 1 + rng.below(3) };
            let mut blocks = history.add_step(rng, calls);
            if ends {
                break;
            }
            // Some users add text to the results.
            if rng.one_in(6) && dialect != Dialect::Gemini {
                blocks.push(Block::Text(format!("ask <{}>", history.next_number())));
            }
            history.messages.push(GeneratedMessage { is_model: false, blocks });
        }
    }
    let ends_with_model = history.messages.last().is_some_and(|message| message.is_model);
    if ends_with_model && !(history.accepts_prefill() && rng.one_in(2)) {
        history.add_user(rng);
    }
    let damage = apply_damage(rng, &mut history, messages_damage::KINDS);
    let model = [Dialect::Gemini, Dialect::Bedrock].contains(&dialect).then_some(history.model);
    ProofCase { dialect, body: write_body(&history), model, damage, links: ServerLinks::default() }
}

pub fn continuation(dialect: Dialect) -> Vec<Value> {
    let mut history = MessageHistory::new(dialect, &mut Rng(1));
    history.has_keys = true;
    let text = |text: &str| Block::Text(text.to_owned());
    let key = Some("toolu_later".to_owned());
    let call = CallBlock { key: key.clone(), name: "f", n: 999, is_text: false, is_signed: true };
    let messages = [
        GeneratedMessage { is_model: true, blocks: vec![text("say <later>")] },
        GeneratedMessage { is_model: false, blocks: vec![text("ask <later>")] },
        GeneratedMessage { is_model: true, blocks: vec![Block::Call(call)] },
        GeneratedMessage {
            is_model: false,
            blocks: vec![Block::Result(ResultBlock { key, name: "f", text: "result <later>".to_owned() })],
        },
    ];
    messages.iter().flat_map(|message| write_message(dialect, message)).collect()
}

/// The body of a request without messages.
pub fn empty_request(history: &MessageHistory) -> Value {
    let tool = |name: &&str| json!({"name": name, "description": "d"});
    let schema = json!({"type": "object", "properties": {}});
    match history.dialect {
        Dialect::Chat => {
            let tools = NAMES
                .iter()
                .map(|name| json!({"type": "function", "function": {"name": name, "parameters": schema}}));
            json!({"model": history.model, "tools": tools.collect::<Vec<_>>()})
        }
        Dialect::Anthropic => {
            let tools = NAMES.iter().map(|name| json!({"name": name, "input_schema": schema}));
            // Without a limit it is not all of the request, so another part may enable thinking.
            json!({"model": history.model, "tools": tools.collect::<Vec<_>>()})
        }
        Dialect::Gemini => {
            json!({"tools": [{"functionDeclarations": NAMES.iter().map(tool).collect::<Vec<_>>()}]})
        }
        _ => {
            let tools =
                NAMES.iter().map(|name| json!({"toolSpec": {"name": name, "inputSchema": {"json": schema}}}));
            json!({"toolConfig": {"tools": tools.collect::<Vec<_>>()}})
        }
    }
}
