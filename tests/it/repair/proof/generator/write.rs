//! Writers of generated messages in each dialect.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::messages::{Block, CallBlock, GeneratedMessage, MessageHistory, empty_request};
use crate::repair::proof::rows::list_key;

pub fn write_body(history: &MessageHistory) -> Value {
    let mut list = Vec::new();
    for (n, value) in history.messages.iter().enumerate() {
        let mut written = write_message(history.dialect, value);
        if let Some(first) = written.first_mut() {
            if history.null_content.contains(&n) {
                first["content"] = Value::Null;
            }
            if history.empty_calls.contains(&n) {
                first["tool_calls"] = json!([]);
            }
        }
        list.extend(written);
    }
    let mut body = empty_request(history);
    body[list_key(history.dialect)] = json!(list);
    body
}

/// Writes one message; in Chat each result is a separate message.
pub fn write_message(dialect: Dialect, message: &GeneratedMessage) -> Vec<Value> {
    let role = match (dialect, message.is_model) {
        (Dialect::Gemini, true) => "model",
        (_, true) => "assistant",
        (_, false) => "user",
    };
    match dialect {
        Dialect::Chat => write_chat(role, message),
        Dialect::Gemini => {
            vec![json!({"role": role, "parts": message.blocks.iter().map(write_gemini_part).collect::<Vec<_>>()})]
        }
        Dialect::Bedrock => {
            vec![
                json!({"role": role, "content": message.blocks.iter().map(write_bedrock_block).collect::<Vec<_>>()}),
            ]
        }
        _ => match message.blocks.as_slice() {
            // A string means the same as one block of text.
            [Block::Text(text)] if text.len() % 2 == 0 && !text.is_empty() => {
                vec![json!({"role": role, "content": text})]
            }
            blocks => vec![
                json!({"role": role, "content": blocks.iter().map(write_anthropic_block).collect::<Vec<_>>()}),
            ],
        },
    }
}

/// A value with a member added, unless it is `None`.
fn with_member(mut value: Value, name: &str, key: Option<&str>) -> Value {
    if let Some(key) = key {
        value[name] = json!(key);
    }
    value
}

fn arguments(call: &CallBlock) -> Value {
    let input = json!({"n": call.n});
    if call.is_text { json!(input.to_string()) } else { input }
}

fn write_chat(role: &str, message: &GeneratedMessage) -> Vec<Value> {
    let mut out = Vec::new();
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text(text) => texts.push(text.clone()),
            Block::Call(call) => {
                let function = json!({"name": call.name, "arguments": json!({"n": call.n}).to_string()});
                calls.push(with_member(
                    json!({"type": "function", "function": function}),
                    "id",
                    call.key.as_deref(),
                ));
            }
            Block::Result(answer) => {
                let tool = json!({"role": "tool", "content": answer.text});
                out.push((true, with_member(tool, "tool_call_id", answer.key.as_deref())));
            }
            Block::Image(_) | Block::Thinking { .. } => {}
        }
        // The user's texts before and after results are separate messages.
        if !message.is_model && !texts.is_empty() {
            out.push((false, json!({"role": role, "content": texts.pop()})));
        }
    }
    if message.is_model {
        let content = if texts.is_empty() { Value::Null } else { json!(texts.join("\n")) };
        let mut written = json!({"role": role, "content": content});
        if !calls.is_empty() {
            written["tool_calls"] = json!(calls);
        }
        out.insert(0, (false, written));
    } else if message.blocks.is_empty() {
        out.push((false, json!({"role": role, "content": ""})));
    }
    out.into_iter().map(|(_, value)| value).collect()
}

fn write_anthropic_block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Image(n) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": format!("iVBO{n:04}")}})
        }
        Block::Call(call) => {
            let value = json!({"type": "tool_use", "name": call.name, "input": arguments(call)});
            with_member(value, "id", call.key.as_deref())
        }
        Block::Result(answer) => {
            let value = json!({"type": "tool_result", "content": answer.text});
            with_member(value, "tool_use_id", answer.key.as_deref())
        }
        Block::Thinking { n, is_signed } => {
            let thinking = json!({"type": "thinking", "thinking": format!("think <{n}>")});
            with_member(thinking, "signature", is_signed.then_some("c2lnbmF0dXJl"))
        }
    }
}

fn write_gemini_part(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::Image(n) => json!({"inlineData": {"mimeType": "image/png", "data": format!("iVBO{n:04}")}}),
        Block::Call(call) => {
            let value = with_member(json!({"name": call.name, "args": {"n": call.n}}), "id", call.key.as_deref());
            with_member(
                json!({"functionCall": value}),
                "thoughtSignature",
                call.is_signed.then_some("c2lnbmF0dXJl"),
            )
        }
        Block::Result(answer) => {
            let value = json!({"name": answer.name, "response": {"output": answer.text}});
            json!({"functionResponse": with_member(value, "id", answer.key.as_deref())})
        }
        Block::Thinking { n, .. } => json!({"text": format!("think <{n}>"), "thought": true}),
    }
}

fn write_bedrock_block(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::Image(n) => json!({"image": {"format": "png", "source": {"bytes": format!("iVBO{n:04}")}}}),
        Block::Call(call) => {
            let value = json!({"name": call.name, "input": arguments(call)});
            json!({"toolUse": with_member(value, "toolUseId", call.key.as_deref())})
        }
        Block::Result(answer) => {
            let value = json!({"content": [{"text": answer.text}]});
            json!({"toolResult": with_member(value, "toolUseId", answer.key.as_deref())})
        }
        Block::Thinking { n, is_signed } => {
            let text = json!({"text": format!("think <{n}>")});
            json!({"reasoningContent": {"reasoningText": with_member(text, "signature", is_signed.then_some("c2lnbmF0dXJl"))}})
        }
    }
}
