//! How each dialect writes the messages of a history.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::messages::{Block, Call, History, Message, request};
use crate::repair::proof::rows::list_key;

pub fn body(history: &History) -> Value {
    let mut list = Vec::new();
    for (n, made) in history.messages.iter().enumerate() {
        let mut written = message(history.dialect, made);
        if let Some(first) = written.first_mut() {
            if history.null_content.contains(&n) {
                first["content"] = Value::Null;
            }
            if history.no_calls.contains(&n) {
                first["tool_calls"] = json!([]);
            }
        }
        list.extend(written);
    }
    let mut body = request(history);
    body[list_key(history.dialect)] = json!(list);
    body
}

/// One message; in Chat each result is a message of its own.
pub fn message(dialect: Dialect, message: &Message) -> Vec<Value> {
    let role = match (dialect, message.model) {
        (Dialect::Gemini, true) => "model",
        (_, true) => "assistant",
        (_, false) => "user",
    };
    match dialect {
        Dialect::Chat => chat(role, message),
        Dialect::Gemini => {
            vec![json!({"role": role, "parts": message.blocks.iter().map(gemini).collect::<Vec<_>>()})]
        }
        Dialect::Bedrock => {
            vec![json!({"role": role, "content": message.blocks.iter().map(bedrock).collect::<Vec<_>>()})]
        }
        _ => match message.blocks.as_slice() {
            // A string is the same as one block of text.
            [Block::Text(text)] if text.len() % 2 == 0 && !text.is_empty() => {
                vec![json!({"role": role, "content": text})]
            }
            blocks => vec![json!({"role": role, "content": blocks.iter().map(anthropic).collect::<Vec<_>>()})],
        },
    }
}

fn keyed(mut value: Value, name: &str, key: Option<&str>) -> Value {
    if let Some(key) = key {
        value[name] = json!(key);
    }
    value
}

fn arguments(call: &Call) -> Value {
    let input = json!({"n": call.n});
    if call.is_text { json!(input.to_string()) } else { input }
}

fn chat(role: &str, message: &Message) -> Vec<Value> {
    let mut out = Vec::new();
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text(text) => texts.push(text.clone()),
            Block::Call(call) => {
                let function = json!({"name": call.name, "arguments": json!({"n": call.n}).to_string()});
                calls.push(keyed(json!({"type": "function", "function": function}), "id", call.key.as_deref()));
            }
            Block::Result(answer) => {
                let tool = json!({"role": "tool", "content": answer.text});
                out.push((true, keyed(tool, "tool_call_id", answer.key.as_deref())));
            }
            Block::Image(_) | Block::Thinking { .. } => {}
        }
        // What the user says before and after results are messages of their own.
        if !message.model && !texts.is_empty() {
            out.push((false, json!({"role": role, "content": texts.pop()})));
        }
    }
    if message.model {
        let content = if texts.is_empty() { Value::Null } else { json!(texts.join("\n")) };
        let mut said = json!({"role": role, "content": content});
        if !calls.is_empty() {
            said["tool_calls"] = json!(calls);
        }
        out.insert(0, (false, said));
    } else if message.blocks.is_empty() {
        out.push((false, json!({"role": role, "content": ""})));
    }
    out.into_iter().map(|(_, value)| value).collect()
}

fn anthropic(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Image(n) => {
            json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": format!("iVBO{n:04}")}})
        }
        Block::Call(call) => {
            let made = json!({"type": "tool_use", "name": call.name, "input": arguments(call)});
            keyed(made, "id", call.key.as_deref())
        }
        Block::Result(answer) => {
            let made = json!({"type": "tool_result", "content": answer.text});
            keyed(made, "tool_use_id", answer.key.as_deref())
        }
        Block::Thinking { n, signed } => {
            let thinking = json!({"type": "thinking", "thinking": format!("think <{n}>")});
            keyed(thinking, "signature", signed.then_some("c2lnbmF0dXJl"))
        }
    }
}

fn gemini(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::Image(n) => json!({"inlineData": {"mimeType": "image/png", "data": format!("iVBO{n:04}")}}),
        Block::Call(call) => {
            let made = keyed(json!({"name": call.name, "args": {"n": call.n}}), "id", call.key.as_deref());
            keyed(json!({"functionCall": made}), "thoughtSignature", call.signed.then_some("c2lnbmF0dXJl"))
        }
        Block::Result(answer) => {
            let made = json!({"name": answer.name, "response": {"output": answer.text}});
            json!({"functionResponse": keyed(made, "id", answer.key.as_deref())})
        }
        Block::Thinking { n, .. } => json!({"text": format!("think <{n}>"), "thought": true}),
    }
}

fn bedrock(block: &Block) -> Value {
    match block {
        Block::Text(text) => json!({"text": text}),
        Block::Image(n) => json!({"image": {"format": "png", "source": {"bytes": format!("iVBO{n:04}")}}}),
        Block::Call(call) => {
            let made = json!({"name": call.name, "input": arguments(call)});
            json!({"toolUse": keyed(made, "toolUseId", call.key.as_deref())})
        }
        Block::Result(answer) => {
            let made = json!({"content": [{"text": answer.text}]});
            json!({"toolResult": keyed(made, "toolUseId", answer.key.as_deref())})
        }
        Block::Thinking { n, signed } => {
            let text = json!({"text": format!("think <{n}>")});
            json!({"reasoningContent": {"reasoningText": keyed(text, "signature", signed.then_some("c2lnbmF0dXJl"))}})
        }
    }
}
