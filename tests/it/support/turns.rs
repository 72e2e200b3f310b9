//! Generated histories, and how each dialect writes them.

use proptest::prelude::*;
use serde_json::{Value, json};

/// One turn of a conversation, before a dialect writes it.
#[derive(Clone, Debug)]
pub enum GeneratedTurn {
    System(String),
    User(String),
    Image(String),
    Assistant(String),
    /// A text, calls by id, and their results in order: index of the call, output.
    Calls(Option<String>, Vec<&'static str>, Vec<(usize, String)>),
    /// A result that comes late, or answers no call.
    LateResult(&'static str, String),
}

pub fn any_turn() -> impl Strategy<Value = GeneratedTurn> {
    let text = || "[a-zé🙂\"\\\\ \n]{1,12}";
    let id = || {
        prop_oneof![
            Just("call_one"),
            Just("call_2"),
            Just("functions.f:0"),
            Just("a b"),
            Just("x/y"),
            Just("toolu_9")
        ]
    };
    let calls = (
        prop::option::of(text()),
        prop::collection::vec(id(), 1..4),
        prop::collection::vec((0usize..3, text().prop_map(String::from)), 0..4),
    );
    prop_oneof![
        1 => text().prop_map(GeneratedTurn::System),
        3 => text().prop_map(GeneratedTurn::User),
        1 => "[A-Za-z0-9]{8}".prop_map(GeneratedTurn::Image),
        2 => text().prop_map(GeneratedTurn::Assistant),
        4 => calls.prop_map(|(words, calls, answers)| GeneratedTurn::Calls(words, calls, answers)),
        1 => (id(), text()).prop_map(|(id, words)| GeneratedTurn::LateResult(id, words)),
    ]
}

const INPUT: &str = r#"{"x": [1, 2.50], "é": "\n"}"#;

/// Writes turns as a request, which need not be valid.
pub fn request(dialect: &str, turns: &[GeneratedTurn]) -> Value {
    let input: Value = serde_json::from_str(INPUT).expect("JSON");
    let results = |calls: &[&'static str], answers: &[(usize, String)]| -> Vec<(&'static str, String)> {
        answers.iter().filter_map(|(n, words)| Some((*calls.get(*n)?, words.clone()))).collect()
    };
    let mut list = Vec::new();
    let mut system = Vec::new();
    for (n, turn) in turns.iter().enumerate() {
        match (dialect, turn) {
            ("responses", GeneratedTurn::System(words)) => list.push(json!({"role": "system", "content": words})),
            ("responses", GeneratedTurn::User(words)) => list.push(json!({"role": "user", "content": words})),
            ("responses", GeneratedTurn::Image(data)) => list.push(json!({"role": "user", "content": [
                {"type": "input_image", "image_url": format!("data:image/png;base64,{data}")}]})),
            ("responses", GeneratedTurn::Assistant(words)) => list.push(json!({"role": "assistant", "content": words})),
            ("responses", GeneratedTurn::Calls(words, calls, answers)) => {
                list.extend(words.iter().map(|words| json!({"role": "assistant", "content": words})));
                list.extend(calls.iter().map(
                    |id| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": INPUT}),
                ));
                let output = |(id, words): (&str, String)| json!({"type": "function_call_output", "call_id": id, "output": words});
                list.extend(results(calls, answers).into_iter().map(output));
            }
            ("responses", GeneratedTurn::LateResult(id, words)) => {
                list.push(json!({"type": "function_call_output", "call_id": id, "output": words}));
            }
            ("chat", GeneratedTurn::System(words)) => list.push(json!({"role": "system", "content": words})),
            ("chat", GeneratedTurn::User(words)) => list.push(json!({"role": "user", "content": words})),
            ("chat", GeneratedTurn::Image(data)) => list.push(json!({"role": "user", "content": [
                {"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}}]})),
            ("chat", GeneratedTurn::Assistant(words)) => list.push(json!({"role": "assistant", "content": words})),
            ("chat", GeneratedTurn::Calls(words, calls, answers)) => {
                let call = |id: &&str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": INPUT}});
                list.push(json!({"role": "assistant", "content": words, "tool_calls": calls.iter().map(call).collect::<Vec<_>>()}));
                let reply = |(id, words): (&str, String)| json!({"role": "tool", "tool_call_id": id, "content": words});
                list.extend(results(calls, answers).into_iter().map(reply));
            }
            ("chat", GeneratedTurn::LateResult(id, words)) => {
                list.push(json!({"role": "tool", "tool_call_id": id, "content": words}));
            }
            ("anthropic", GeneratedTurn::User(words)) => list.push(json!({"role": "user", "content": words})),
            ("anthropic", GeneratedTurn::Image(data)) => list.push(json!({"role": "user", "content": [
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}]})),
            ("anthropic", GeneratedTurn::Assistant(words)) => list.push(json!({"role": "assistant", "content": words})),
            ("anthropic", GeneratedTurn::Calls(words, calls, answers)) => {
                let mut blocks: Vec<Value> = words.iter().map(|words| json!({"type": "text", "text": words})).collect();
                blocks.extend(calls.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "f", "input": input})));
                list.push(json!({"role": "assistant", "content": blocks}));
                let block = |(id, words): (&str, String)| json!({"type": "tool_result", "tool_use_id": id, "content": words});
                let blocks: Vec<Value> = results(calls, answers).into_iter().map(block).collect();
                list.extend((!blocks.is_empty()).then(|| json!({"role": "user", "content": blocks})));
            }
            ("anthropic", GeneratedTurn::LateResult(id, words)) => list.push(
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": words}]}),
            ),
            ("gemini", GeneratedTurn::User(words)) => list.push(json!({"role": "user", "parts": [{"text": words}]})),
            ("gemini", GeneratedTurn::Image(data)) => list.push(
                json!({"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": data}}]}),
            ),
            ("gemini", GeneratedTurn::Assistant(words)) => list.push(json!({"role": "model", "parts": [{"text": words}]})),
            ("gemini", GeneratedTurn::Calls(words, calls, answers)) => {
                let mut parts: Vec<Value> = words.iter().map(|words| json!({"text": words})).collect();
                // Half of the turns have no ids, as those of the API itself.
                let call = |id: &&str| match n % 2 {
                    0 => json!({"functionCall": {"id": id, "name": "f", "args": input}}),
                    _ => json!({"functionCall": {"name": "f", "args": input}}),
                };
                parts.extend(calls.iter().map(call));
                list.push(json!({"role": "model", "parts": parts}));
                let part = |(id, words): (&str, String)| match n % 2 {
                    0 => json!({"functionResponse": {"id": id, "name": "f", "response": {"output": words}}}),
                    _ => json!({"functionResponse": {"name": "f", "response": {"output": words}}}),
                };
                let parts: Vec<Value> = results(calls, answers).into_iter().map(part).collect();
                list.extend((!parts.is_empty()).then(|| json!({"role": "user", "parts": parts})));
            }
            ("gemini", GeneratedTurn::LateResult(id, words)) => list.push(json!({"role": "user", "parts": [
                {"functionResponse": {"id": id, "name": "f", "response": {"output": words}}}]})),
            ("bedrock", GeneratedTurn::User(words)) => list.push(json!({"role": "user", "content": [{"text": words}]})),
            ("bedrock", GeneratedTurn::Image(data)) => list.push(json!({"role": "user", "content": [
                {"image": {"format": "png", "source": {"bytes": data}}}]})),
            ("bedrock", GeneratedTurn::Assistant(words)) => list.push(json!({"role": "assistant", "content": [{"text": words}]})),
            ("bedrock", GeneratedTurn::Calls(words, calls, answers)) => {
                let mut blocks: Vec<Value> = words.iter().map(|words| json!({"text": words})).collect();
                blocks.extend(calls.iter().map(|id| json!({"toolUse": {"toolUseId": id, "name": "f", "input": input}})));
                list.push(json!({"role": "assistant", "content": blocks}));
                let block = |(id, words): (&str, String)| json!({"toolResult": {"toolUseId": id, "content": [{"text": words}]}});
                let blocks: Vec<Value> = results(calls, answers).into_iter().map(block).collect();
                list.extend((!blocks.is_empty()).then(|| json!({"role": "user", "content": blocks})));
            }
            ("bedrock", GeneratedTurn::LateResult(id, words)) => list.push(
                json!({"role": "user", "content": [{"toolResult": {"toolUseId": id, "content": [{"text": words}]}}]}),
            ),
            (_, GeneratedTurn::System(words)) => system.push(words.clone()),
            _ => unreachable!("a dialect of the list"),
        }
    }
    let key = match dialect {
        "responses" => "input",
        "gemini" => "contents",
        _ => "messages",
    };
    let mut body = json!({ key: list });
    let parts: Vec<Value> = system.iter().map(|text| json!({"text": text})).collect();
    match dialect {
        "anthropic" => {
            body["model"] = json!("claude-sonnet-4-5");
            body["max_tokens"] = json!(100);
            if !system.is_empty() {
                let blocks = system.iter().map(|text| json!({"type": "text", "text": text}));
                body["system"] = blocks.collect();
            }
        }
        "gemini" if !parts.is_empty() => body["systemInstruction"] = json!({"parts": parts}),
        "bedrock" if !parts.is_empty() => body["system"] = json!(parts),
        "responses" | "chat" => body["model"] = json!("m"),
        _ => {}
    }
    body
}
