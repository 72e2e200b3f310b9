//! Rows: the items of the Responses API, or the blocks of messages, read from the JSON of a request with serde_json alone.
//! The content of a row is its `tag`, which the generator makes unique, so that a row is recognised after a repair,
//! wherever it is then and whatever ids it has.

use std::rc::Rc;

use replaylint::Dialect;
use serde_json::Value;

/// A string that rows share.
pub type SharedStr = Rc<str>;

/// The author of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowRole {
    System,
    User,
    Model,
    /// The role of outputs that are not part of a user's message.
    Client,
    Unknown,
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowKind {
    Text,
    Media,
    Reasoning,
    Call,
    Result,
    /// A call that the provider runs, with its result.
    Hosted,
    Reference,
    /// A request for an approval; `ApprovalResponse` is the decision.
    ApprovalRequest,
    ApprovalResponse,
    /// A message without content, or an empty list of calls.
    Empty,
    Other,
}

/// An item of the Responses API, or a block of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofRow {
    /// Number of the message that contains the row.
    pub message: u32,
    pub role: RowRole,
    pub kind: RowKind,
    /// Kind of tool, the same for a call and its output: `function`, `computer`.
    pub family: SharedStr,
    pub id: Option<SharedStr>,
    /// The id that pairs a call with its result.
    pub key: Option<SharedStr>,
    pub name: SharedStr,
    /// The content, unique in a generated history.
    pub tag: SharedStr,
    /// True if it has encrypted content or a signature.
    pub is_sealed: bool,
    /// True unless an output or a text is null.
    pub has_value: bool,
    /// False for a call whose arguments the API rejects.
    pub has_valid_arguments: bool,
}

impl ProofRow {
    pub fn new(message: u32, role: RowRole, kind: RowKind, tag: &str) -> Self {
        ProofRow {
            message,
            role,
            kind,
            family: "function".into(),
            id: None,
            key: None,
            name: "".into(),
            tag: tag.into(),
            is_sealed: false,
            has_value: true,
            has_valid_arguments: true,
        }
    }

    /// True for items and blocks of the model.
    pub fn is_from_model(&self) -> bool {
        self.role == RowRole::Model
    }

    pub fn key_text(&self) -> &str {
        self.key.as_deref().unwrap_or_default()
    }

    /// The identity of the row across a repair; `None` without content.
    pub fn identity(&self) -> Option<(RowKind, &str)> {
        (!self.tag.is_empty()).then_some((self.kind, &*self.tag))
    }
}

/// The key of the list of items or messages in a request.
pub fn list_key(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Responses => "input",
        Dialect::Gemini => "contents",
        _ => "messages",
    }
}

/// The items or messages of a request.
pub fn list(dialect: Dialect, body: &Value) -> &[Value] {
    body[list_key(dialect)].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Reads the rows of a request.
pub fn read_rows(dialect: Dialect, body: &Value) -> Vec<ProofRow> {
    let mut out = Vec::new();
    for (n, message) in list(dialect, body).iter().enumerate() {
        let n = u32::try_from(n).expect("short");
        match dialect {
            Dialect::Responses => out.push(read_item(n, message)),
            Dialect::Chat => read_chat_message(n, message, &mut out),
            Dialect::Anthropic => read_blocks(n, message, "content", read_anthropic_block, &mut out),
            Dialect::Gemini => read_blocks(n, message, "parts", read_gemini_part, &mut out),
            Dialect::Bedrock => read_blocks(n, message, "content", read_bedrock_block, &mut out),
        }
    }
    out
}

fn shared_text(value: &Value) -> Option<SharedStr> {
    value.as_str().map(SharedStr::from)
}

fn str_or_empty(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Arguments as JSON, whether they are written as a string or as an object.
fn arguments(value: &Value) -> String {
    let inner = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    inner.as_ref().unwrap_or(value).to_string()
}

/// All texts of a value, concatenated: of a string, of parts, of an output.
fn all_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(all_text).collect(),
        Value::Object(map) => {
            let text_keys = ["text", "refusal", "stdout", "image_url", "output", "result", "error", "json"];
            map.iter()
                .filter(|(key, _)| text_keys.contains(&key.as_str()))
                .map(|(_, value)| all_text(value))
                .collect()
        }
        _ => String::new(),
    }
}

fn parse_role(name: &str) -> RowRole {
    match name {
        "user" => RowRole::User,
        "assistant" | "model" => RowRole::Model,
        "system" | "developer" => RowRole::System,
        "tool" | "function" => RowRole::Client,
        _ => RowRole::Unknown,
    }
}

/// Reads an item of the Responses API.
fn read_item(n: u32, item: &Value) -> ProofRow {
    let kind = item["type"].as_str().unwrap_or(if item["role"].is_null() { "item_reference" } else { "message" });
    let mut row = match kind {
        "message" => {
            let mut row = ProofRow::new(
                n,
                parse_role(str_or_empty(&item["role"])),
                RowKind::Text,
                &all_text(&item["content"]),
            );
            row.has_value = !item["content"].is_null();
            row
        }
        "reasoning" => {
            let blob = str_or_empty(&item["encrypted_content"]);
            let tag = if blob.is_empty() { all_text(&item["summary"]) } else { blob.to_owned() };
            let mut row = ProofRow::new(n, RowRole::Model, RowKind::Reasoning, &tag);
            row.is_sealed = !blob.is_empty();
            row
        }
        "item_reference" => {
            ProofRow::new(n, RowRole::Model, RowKind::Reference, &format!("reference to {}", item["id"]))
        }
        "mcp_approval_request" => {
            ProofRow::new(n, RowRole::Model, RowKind::ApprovalRequest, str_or_empty(&item["arguments"]))
        }
        "mcp_approval_response" => {
            let mut row =
                ProofRow::new(n, RowRole::User, RowKind::ApprovalResponse, str_or_empty(&item["reason"]));
            row.key = shared_text(&item["approval_request_id"]);
            return row;
        }
        _ if kind.ends_with("_output") => {
            let mut row = ProofRow::new(n, RowRole::Client, RowKind::Result, &all_text(&item["output"]));
            row.family = kind.trim_end_matches("_output").trim_end_matches("_call").into();
            row.has_value = !item["output"].is_null();
            row.key = shared_text(&item["call_id"]);
            // Ids of outputs link nothing.
            return row;
        }
        "function_call" | "custom_tool_call" | "local_shell_call" | "shell_call" | "apply_patch_call"
        | "computer_call" => {
            let content_keys = ["name", "arguments", "input", "action", "operation"];
            let tag =
                content_keys.iter().filter_map(|key| item.get(key)).map(Value::to_string).collect::<String>();
            let mut row = ProofRow::new(n, RowRole::Model, RowKind::Call, &tag);
            row.family = kind.trim_end_matches("_call").into();
            row.name = item["name"].as_str().unwrap_or_default().into();
            row
        }
        _ if kind.ends_with("_call") || kind == "mcp_list_tools" => {
            let content_keys =
                ["action", "code", "outputs", "queries", "result", "arguments", "output", "server_label"];
            let tag =
                content_keys.iter().filter_map(|key| item.get(key)).map(Value::to_string).collect::<String>();
            let mut row = ProofRow::new(n, RowRole::Model, RowKind::Hosted, &tag);
            row.family = kind.trim_end_matches("_call").into();
            row
        }
        _ => ProofRow::new(n, RowRole::Unknown, RowKind::Other, &item.to_string()),
    };
    row.id = shared_text(&item["id"]);
    row.key = shared_text(&item["call_id"]);
    row
}

/// Reads a message of Chat Completions.
fn read_chat_message(n: u32, message: &Value, out: &mut Vec<ProofRow>) {
    let role = parse_role(str_or_empty(&message["role"]));
    let content = &message["content"];
    if role == RowRole::Client {
        let mut row = ProofRow::new(n, role, RowKind::Result, &all_text(content));
        row.key = shared_text(&message["tool_call_id"]);
        row.has_value = !content.is_null();
        return out.push(row);
    }
    let calls = message["tool_calls"].as_array();
    if calls.is_none() || !all_text(content).is_empty() {
        let mut row = ProofRow::new(n, role, RowKind::Text, &all_text(content));
        row.has_value = !content.is_null();
        out.push(row);
    }
    if calls.is_some_and(Vec::is_empty) {
        out.push(ProofRow::new(n, role, RowKind::Empty, ""));
    }
    for call in calls.into_iter().flatten() {
        let name = str_or_empty(&call["function"]["name"]);
        let mut row = ProofRow::new(n, role, RowKind::Call, &format!("{name} {}", call["function"]["arguments"]));
        row.key = shared_text(&call["id"]);
        row.name = name.into();
        out.push(row);
    }
}

/// Reads the blocks of a message of the other dialects.
fn read_blocks(n: u32, message: &Value, key: &str, read: fn(&Value, &mut ProofRow), out: &mut Vec<ProofRow>) {
    let role = parse_role(str_or_empty(&message["role"]));
    match &message[key] {
        Value::Array(list) if !list.is_empty() => out.extend(list.iter().map(|block| {
            let mut row = ProofRow::new(n, role, RowKind::Other, "");
            read(block, &mut row);
            row
        })),
        Value::String(text) => out.push(ProofRow::new(n, role, RowKind::Text, text)),
        _ => out.push(ProofRow::new(n, role, RowKind::Empty, "")),
    }
}

fn read_anthropic_block(block: &Value, row: &mut ProofRow) {
    let text = |key: &str| str_or_empty(&block[key]).into();
    match str_or_empty(&block["type"]) {
        "text" => (row.kind, row.tag) = (RowKind::Text, text("text")),
        "tool_use" => {
            let (name, input) = (str_or_empty(&block["name"]), &block["input"]);
            (row.kind, row.tag, row.name) =
                (RowKind::Call, format!("{name} {}", arguments(input)).into(), name.into());
            row.key = shared_text(&block["id"]);
            row.has_valid_arguments = input.is_object();
        }
        "tool_result" => {
            (row.kind, row.tag) = (RowKind::Result, all_text(&block["content"]).into());
            row.key = shared_text(&block["tool_use_id"]);
        }
        "thinking" => {
            (row.kind, row.tag) = (RowKind::Reasoning, text("thinking"));
            row.is_sealed = !str_or_empty(&block["signature"]).is_empty();
        }
        "redacted_thinking" => (row.kind, row.tag, row.is_sealed) = (RowKind::Reasoning, text("data"), true),
        "server_tool_use" => {
            (row.kind, row.tag, row.family) =
                (RowKind::Hosted, block["input"].to_string().into(), "server".into());
            row.key = shared_text(&block["id"]);
        }
        kind if kind.ends_with("_tool_result") => {
            (row.kind, row.tag) = (RowKind::Hosted, block["content"].to_string().into());
            row.family = "server result".into();
            row.key = shared_text(&block["tool_use_id"]);
        }
        _ => (row.kind, row.tag) = (RowKind::Media, block.to_string().into()),
    }
}

fn read_gemini_part(part: &Value, row: &mut ProofRow) {
    row.is_sealed = part["thoughtSignature"].is_string();
    if let Some(text) = part["text"].as_str() {
        let thought = part["thought"] == true;
        (row.kind, row.tag) = (if thought { RowKind::Reasoning } else { RowKind::Text }, text.into());
    } else if let Some(call) = part.get("functionCall") {
        let name = str_or_empty(&call["name"]);
        (row.kind, row.tag, row.name) = (RowKind::Call, format!("{name} {}", call["args"]).into(), name.into());
        row.key = shared_text(&call["id"]);
    } else if let Some(response) = part.get("functionResponse") {
        (row.kind, row.tag) = (RowKind::Result, all_text(&response["response"]).into());
        (row.name, row.key) = (str_or_empty(&response["name"]).into(), shared_text(&response["id"]));
    } else {
        (row.kind, row.tag) = (RowKind::Media, part.to_string().into());
    }
}

fn read_bedrock_block(block: &Value, row: &mut ProofRow) {
    if let Some(text) = block["text"].as_str() {
        (row.kind, row.tag) = (RowKind::Text, text.into());
    } else if let Some(call) = block.get("toolUse") {
        let (name, input) = (str_or_empty(&call["name"]), &call["input"]);
        (row.kind, row.tag, row.name) =
            (RowKind::Call, format!("{name} {}", arguments(input)).into(), name.into());
        row.key = shared_text(&call["toolUseId"]);
        row.has_valid_arguments = input.is_object();
    } else if let Some(result) = block.get("toolResult") {
        (row.kind, row.tag) = (RowKind::Result, all_text(&result["content"]).into());
        row.key = shared_text(&result["toolUseId"]);
    } else if let Some(thought) = block.get("reasoningContent") {
        let text = &thought["reasoningText"];
        (row.kind, row.tag) = (RowKind::Reasoning, str_or_empty(&text["text"]).into());
        row.is_sealed = text["signature"].is_string();
    } else {
        (row.kind, row.tag) = (RowKind::Media, block.to_string().into());
    }
}
