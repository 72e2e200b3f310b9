//! What the proof knows of a history: its rows, read from the JSON of a request with serde_json alone. A row is an item
//! of the Responses API, or a block of a message. What a row says is its `tag`, which the generator makes unique, so that
//! a row is known again after a repair, wherever it is then and whatever ids it has.

use std::rc::Rc;

use replaylint::Dialect;
use serde_json::Value;

pub type Text = Rc<str>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    System,
    User,
    Model,
    /// Outputs where they are no part of a user's message.
    Client,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    Text,
    Media,
    Reasoning,
    Call,
    Result,
    /// A call that the provider runs, with what came of it.
    Hosted,
    Reference,
    /// A request for an approval, and the decision.
    Ask,
    Grant,
    /// A message, or a list of calls, that holds nothing.
    Empty,
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Rows of one message have the same number; nothing else is in it.
    pub message: u32,
    pub role: Role,
    pub what: What,
    /// Of calls and outputs, which of them belong together: `function`, `computer`.
    pub family: Text,
    pub id: Option<Text>,
    pub key: Option<Text>,
    pub name: Text,
    pub tag: Text,
    /// With a blob, a signature.
    pub sealed: bool,
    /// With a value that the API takes: outputs and texts that are not null.
    pub valued: bool,
    /// Of calls: whether the arguments are what the API takes.
    pub formed: bool,
}

impl Row {
    pub fn new(message: u32, role: Role, what: What, tag: &str) -> Self {
        Row {
            message,
            role,
            what,
            family: "function".into(),
            id: None,
            key: None,
            name: "".into(),
            tag: tag.into(),
            sealed: false,
            valued: true,
            formed: true,
        }
    }

    /// Made by the model.
    pub fn is_made(&self) -> bool {
        self.role == Role::Model
    }

    pub fn key_text(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    /// What is known again after a repair; `None` of what says nothing.
    pub fn unit(&self) -> Option<(What, &str)> {
        (!self.tag.is_empty()).then_some((self.what, &*self.tag))
    }
}

/// The member of a request that holds its history.
pub fn list_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Responses => "input",
        Dialect::Gemini => "contents",
        _ => "messages",
    }
}

pub fn list(dialect: Dialect, body: &Value) -> &[Value] {
    body[list_key(dialect)].as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn rows(dialect: Dialect, body: &Value) -> Vec<Row> {
    let mut out = Vec::new();
    for (n, message) in list(dialect, body).iter().enumerate() {
        let n = u32::try_from(n).expect("short");
        match dialect {
            Dialect::Responses => out.push(item(n, message)),
            Dialect::Chat => chat(n, message, &mut out),
            Dialect::Anthropic => blocks(n, message, "content", anthropic, &mut out),
            Dialect::Gemini => blocks(n, message, "parts", gemini, &mut out),
            Dialect::Bedrock => blocks(n, message, "content", bedrock, &mut out),
        }
    }
    out
}

fn text_of(value: &Value) -> Option<Text> {
    value.as_str().map(Text::from)
}

fn str_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Arguments, also where they are a text.
fn arguments(value: &Value) -> String {
    let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    inner.as_ref().unwrap_or(value).to_string()
}

/// All texts of a value, one after the other: of a string, of parts, of an output.
fn said(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(said).collect(),
        Value::Object(map) => {
            let said_by = ["text", "refusal", "stdout", "image_url", "output", "result", "error", "json"];
            map.iter().filter(|(key, _)| said_by.contains(&key.as_str())).map(|(_, value)| said(value)).collect()
        }
        _ => String::new(),
    }
}

fn role(name: &str) -> Role {
    match name {
        "user" => Role::User,
        "assistant" | "model" => Role::Model,
        "system" | "developer" => Role::System,
        "tool" | "function" => Role::Client,
        _ => Role::Unknown,
    }
}

/// An item of the Responses API.
fn item(n: u32, item: &Value) -> Row {
    let kind = item["type"].as_str().unwrap_or(if item["role"].is_null() { "item_reference" } else { "message" });
    let mut row = match kind {
        "message" => {
            let mut row = Row::new(n, role(str_of(&item["role"])), What::Text, &said(&item["content"]));
            row.valued = !item["content"].is_null();
            row
        }
        "reasoning" => {
            let blob = str_of(&item["encrypted_content"]);
            let tag = if blob.is_empty() { said(&item["summary"]) } else { blob.to_owned() };
            let mut row = Row::new(n, Role::Model, What::Reasoning, &tag);
            row.sealed = !blob.is_empty();
            row
        }
        "item_reference" => Row::new(n, Role::Model, What::Reference, &format!("reference to {}", item["id"])),
        "mcp_approval_request" => Row::new(n, Role::Model, What::Ask, str_of(&item["arguments"])),
        "mcp_approval_response" => {
            let mut row = Row::new(n, Role::User, What::Grant, str_of(&item["reason"]));
            row.key = text_of(&item["approval_request_id"]);
            return row;
        }
        _ if kind.ends_with("_output") => {
            let mut row = Row::new(n, Role::Client, What::Result, &said(&item["output"]));
            row.family = kind.trim_end_matches("_output").trim_end_matches("_call").into();
            row.valued = !item["output"].is_null();
            row.key = text_of(&item["call_id"]);
            // Outputs have no ids that anything is linked by.
            return row;
        }
        "function_call" | "custom_tool_call" | "local_shell_call" | "shell_call" | "apply_patch_call"
        | "computer_call" => {
            let says = ["name", "arguments", "input", "action", "operation"];
            let tag = says.iter().filter_map(|key| item.get(key)).map(Value::to_string).collect::<String>();
            let mut row = Row::new(n, Role::Model, What::Call, &tag);
            row.family = kind.trim_end_matches("_call").into();
            row.name = item["name"].as_str().unwrap_or_default().into();
            row
        }
        _ if kind.ends_with("_call") || kind == "mcp_list_tools" => {
            let says = ["action", "code", "outputs", "queries", "result", "arguments", "output", "server_label"];
            let tag = says.iter().filter_map(|key| item.get(key)).map(Value::to_string).collect::<String>();
            let mut row = Row::new(n, Role::Model, What::Hosted, &tag);
            row.family = kind.trim_end_matches("_call").into();
            row
        }
        _ => Row::new(n, Role::Unknown, What::Other, &item.to_string()),
    };
    row.id = text_of(&item["id"]);
    row.key = text_of(&item["call_id"]);
    row
}

/// A message of Chat Completions.
fn chat(n: u32, message: &Value, out: &mut Vec<Row>) {
    let role = role(str_of(&message["role"]));
    let content = &message["content"];
    if role == Role::Client {
        let mut row = Row::new(n, role, What::Result, &said(content));
        row.key = text_of(&message["tool_call_id"]);
        row.valued = !content.is_null();
        return out.push(row);
    }
    let calls = message["tool_calls"].as_array();
    if calls.is_none() || !said(content).is_empty() {
        let mut row = Row::new(n, role, What::Text, &said(content));
        row.valued = !content.is_null();
        out.push(row);
    }
    if calls.is_some_and(Vec::is_empty) {
        out.push(Row::new(n, role, What::Empty, ""));
    }
    for call in calls.into_iter().flatten() {
        let name = str_of(&call["function"]["name"]);
        let mut row = Row::new(n, role, What::Call, &format!("{name} {}", call["function"]["arguments"]));
        row.key = text_of(&call["id"]);
        row.name = name.into();
        out.push(row);
    }
}

/// The blocks of a message of the other dialects.
fn blocks(n: u32, message: &Value, key: &str, read: fn(&Value, &mut Row), out: &mut Vec<Row>) {
    let role = role(str_of(&message["role"]));
    match &message[key] {
        Value::Array(list) if !list.is_empty() => out.extend(list.iter().map(|block| {
            let mut row = Row::new(n, role, What::Other, "");
            read(block, &mut row);
            row
        })),
        Value::String(text) => out.push(Row::new(n, role, What::Text, text)),
        _ => out.push(Row::new(n, role, What::Empty, "")),
    }
}

fn anthropic(block: &Value, row: &mut Row) {
    let says = |key: &str| str_of(&block[key]).into();
    match str_of(&block["type"]) {
        "text" => (row.what, row.tag) = (What::Text, says("text")),
        "tool_use" => {
            let (name, input) = (str_of(&block["name"]), &block["input"]);
            (row.what, row.tag, row.name) =
                (What::Call, format!("{name} {}", arguments(input)).into(), name.into());
            row.key = text_of(&block["id"]);
            row.formed = input.is_object();
        }
        "tool_result" => {
            (row.what, row.tag) = (What::Result, said(&block["content"]).into());
            row.key = text_of(&block["tool_use_id"]);
        }
        "thinking" => {
            (row.what, row.tag) = (What::Reasoning, says("thinking"));
            row.sealed = !str_of(&block["signature"]).is_empty();
        }
        "redacted_thinking" => (row.what, row.tag, row.sealed) = (What::Reasoning, says("data"), true),
        "server_tool_use" => {
            (row.what, row.tag, row.family) = (What::Hosted, block["input"].to_string().into(), "server".into());
            row.key = text_of(&block["id"]);
        }
        kind if kind.ends_with("_tool_result") => {
            (row.what, row.tag) = (What::Hosted, block["content"].to_string().into());
            row.family = "server result".into();
            row.key = text_of(&block["tool_use_id"]);
        }
        _ => (row.what, row.tag) = (What::Media, block.to_string().into()),
    }
}

fn gemini(part: &Value, row: &mut Row) {
    row.sealed = part["thoughtSignature"].is_string();
    if let Some(text) = part["text"].as_str() {
        let thought = part["thought"] == true;
        (row.what, row.tag) = (if thought { What::Reasoning } else { What::Text }, text.into());
    } else if let Some(call) = part.get("functionCall") {
        let name = str_of(&call["name"]);
        (row.what, row.tag, row.name) = (What::Call, format!("{name} {}", call["args"]).into(), name.into());
        row.key = text_of(&call["id"]);
    } else if let Some(response) = part.get("functionResponse") {
        (row.what, row.tag) = (What::Result, said(&response["response"]).into());
        (row.name, row.key) = (str_of(&response["name"]).into(), text_of(&response["id"]));
    } else {
        (row.what, row.tag) = (What::Media, part.to_string().into());
    }
}

fn bedrock(block: &Value, row: &mut Row) {
    if let Some(text) = block["text"].as_str() {
        (row.what, row.tag) = (What::Text, text.into());
    } else if let Some(call) = block.get("toolUse") {
        let (name, input) = (str_of(&call["name"]), &call["input"]);
        (row.what, row.tag, row.name) = (What::Call, format!("{name} {}", arguments(input)).into(), name.into());
        row.key = text_of(&call["toolUseId"]);
        row.formed = input.is_object();
    } else if let Some(result) = block.get("toolResult") {
        (row.what, row.tag) = (What::Result, said(&result["content"]).into());
        row.key = text_of(&result["toolUseId"]);
    } else if let Some(thought) = block.get("reasoningContent") {
        let text = &thought["reasoningText"];
        (row.what, row.tag) = (What::Reasoning, str_of(&text["text"]).into());
        row.sealed = text["signature"].is_string();
    } else {
        (row.what, row.tag) = (What::Media, block.to_string().into());
    }
}
