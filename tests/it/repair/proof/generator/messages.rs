//! Legal histories of messages with blocks, before a dialect writes them: turns of the user and the model, with parallel
//! calls, thinking, and results.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::write::{body, message};
use super::{Case, Truth, damaged, messages_damage};
use crate::support::rng::Rng;

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Text(String),
    Image(u32),
    Call(Call),
    Result(Answer),
    Thinking { n: u32, signed: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Gemini's calls may have none.
    pub key: Option<String>,
    pub name: &'static str,
    pub n: u32,
    /// Arguments as a text instead of an object.
    pub is_text: bool,
    /// Gemini 3 signs the first call of a step.
    pub signed: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub key: Option<String>,
    pub name: &'static str,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub model: bool,
    pub blocks: Vec<Block>,
}

pub struct History {
    pub dialect: Dialect,
    pub messages: Vec<Message>,
    pub model: &'static str,
    /// Of Chat: messages whose content is null, or whose list of calls is empty.
    pub null_content: Vec<usize>,
    pub no_calls: Vec<usize>,
    next: u32,
    keys: bool,
}

const NAMES: [&str; 2] = ["f", "g"];

impl History {
    pub fn number(&mut self) -> u32 {
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
        let keys = dialect != Dialect::Gemini || rng.one_in(2);
        History {
            dialect,
            messages: Vec::new(),
            model: models[rng.below(models.len())],
            null_content: Vec::new(),
            no_calls: Vec::new(),
            next: 0,
            keys,
        }
    }

    /// Whether the model takes a history that ends with its own words.
    pub fn takes_prefill(&self) -> bool {
        self.model == "claude-sonnet-4-5" || self.dialect == Dialect::Chat
    }

    fn thinks(&self) -> bool {
        self.dialect == Dialect::Anthropic || self.model.contains("claude")
    }

    pub fn key(&self, n: u32) -> Option<String> {
        let prefix = match self.dialect {
            Dialect::Anthropic => "toolu",
            Dialect::Bedrock => "tooluse",
            _ => "call",
        };
        self.keys.then(|| format!("{prefix}_{n:03}"))
    }

    pub fn user(&mut self, rng: &mut Rng) {
        let text = |h: &mut History| Block::Text(format!("ask <{}>", h.number()));
        let mut blocks = vec![text(self)];
        if rng.one_in(6) {
            blocks.push(text(self));
        }
        if rng.one_in(10) && self.dialect != Dialect::Chat {
            blocks.push(Block::Image(self.number()));
        }
        self.messages.push(Message { model: false, blocks });
    }

    /// A message of the model, and the results of its calls.
    pub fn step(&mut self, rng: &mut Rng, calls: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        if self.thinks() && rng.one_in(2) {
            blocks.push(Block::Thinking { n: self.number(), signed: true });
        }
        if calls == 0 || rng.one_in(2) {
            blocks.push(Block::Text(format!("say <{}>", self.number())));
        }
        let mut results = Vec::new();
        for nth in 0..calls {
            let n = self.number();
            let (key, name) = (self.key(n), *rng.pick(&NAMES));
            let signed = nth == 0 && self.model.starts_with("gemini-3");
            blocks.push(Block::Call(Call { key: key.clone(), name, n, is_text: false, signed }));
            results.push(Block::Result(Answer { key, name, text: format!("result <{n}>") }));
        }
        self.messages.push(Message { model: true, blocks });
        if self.keys && rng.one_in(4) {
            results.reverse();
        }
        results
    }
}

pub fn case(dialect: Dialect, rng: &mut Rng) -> Case {
    let mut history = History::new(dialect, rng);
    let size = 2 + rng.below(9).min(rng.below(9));
    while history.messages.len() < size {
        history.user(rng);
        while history.messages.len() < size {
            let ends = rng.one_in(3);
            let calls = if ends { 0 } else { 1 + rng.below(3) };
            let mut blocks = history.step(rng, calls);
            if ends {
                break;
            }
            // Some say something along with the results.
            if rng.one_in(6) && dialect != Dialect::Gemini {
                blocks.push(Block::Text(format!("ask <{}>", history.number())));
            }
            history.messages.push(Message { model: false, blocks });
        }
    }
    let ends_with_model = history.messages.last().is_some_and(|message| message.model);
    if ends_with_model && !(history.takes_prefill() && rng.one_in(2)) {
        history.user(rng);
    }
    let damage = damaged(rng, &mut history, messages_damage::KINDS);
    let model = [Dialect::Gemini, Dialect::Bedrock].contains(&dialect).then_some(history.model);
    Case { dialect, body: body(&history), model, damage, truth: Truth::default() }
}

pub fn continuation(dialect: Dialect) -> Vec<Value> {
    let mut history = History::new(dialect, &mut Rng(1));
    history.keys = true;
    let text = |text: &str| Block::Text(text.to_owned());
    let key = Some("toolu_later".to_owned());
    let call = Call { key: key.clone(), name: "f", n: 999, is_text: false, signed: true };
    let made = [
        Message { model: true, blocks: vec![text("say <later>")] },
        Message { model: false, blocks: vec![text("ask <later>")] },
        Message { model: true, blocks: vec![Block::Call(call)] },
        Message {
            model: false,
            blocks: vec![Block::Result(Answer { key, name: "f", text: "result <later>".to_owned() })],
        },
    ];
    made.iter().flat_map(|made| message(dialect, made)).collect()
}

/// The body of a request with nothing in it yet.
pub fn request(history: &History) -> Value {
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
            json!({"model": history.model, "max_tokens": 4096, "tools": tools.collect::<Vec<_>>()})
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
