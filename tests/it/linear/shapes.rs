//! Histories of many calls, results, reasoning and messages in shapes that invite quadratic code, in each dialect: the work
//! of every command is linear in their length.

use serde_json::{Value, json};

use crate::formats::nets::repeat_lists;
use crate::linear::commands::{run_commands, superlinear_commands};
use crate::report::outputs::sample_texts;
use crate::support::work::MOST;

/// Above the limit of calls in a message.
const FEW: usize = 130;
const MANY: usize = 4 * FEW;

/// A message, or a list of calls or results, of a history.
#[derive(Clone)]
pub(super) enum ShapePart {
    User,
    /// A user's message without content.
    EmptyUser,
    /// A user's message of this many texts, all empty but the last.
    Texts(usize),
    System,
    /// A message of the model, with an id where the dialect has ids.
    Reply(usize),
    /// A message of the model without content.
    EmptyReply,
    /// Reasoning, with an id where the dialect has ids.
    Reasoning(usize),
    /// Parallel calls.
    Calls(Vec<usize>),
    /// A call with truncated arguments.
    TruncatedCall(usize),
    /// Results of one turn.
    Results(Vec<usize>),
    /// A user's message with this many members of one name, or of different names.
    Members(usize, bool),
}

use ShapePart::{
    Calls, EmptyReply, EmptyUser, Members, Reasoning, Reply, Results, System, Texts, TruncatedCall, User,
};

/// A name, and the parts of a history of length `n`.
type HistoryShape = (&'static str, fn(usize) -> Vec<ShapePart>);

fn repeat(n: usize, parts: fn(usize) -> Vec<ShapePart>) -> Vec<ShapePart> {
    (0..n).flat_map(parts).collect()
}

fn concat(parts: impl IntoIterator<Item = Vec<ShapePart>>) -> Vec<ShapePart> {
    parts.into_iter().flatten().collect()
}

const SHAPES: [HistoryShape; 36] = [
    ("answered calls", |n| repeat(n, |n| vec![Calls(vec![n]), Results(vec![n])])),
    ("open calls", |n| repeat(n, |n| vec![Calls(vec![n]), User])),
    ("open calls, one after the other", |n| repeat(n, |n| vec![Calls(vec![n])])),
    ("one open batch", |n| vec![Calls((0..n).collect()), User]),
    ("one batch, half of it answered", |n| {
        vec![Calls((0..n).collect()), Results((0..n).step_by(2).collect()), User]
    }),
    ("one batch, answered in reverse", |n| vec![Calls((0..n).collect()), Results((0..n).rev().collect())]),
    ("a batch, and each result apart", |n| {
        concat([vec![Calls((0..n).collect())], repeat(n, |n| vec![Results(vec![n])])])
    }),
    ("a batch whose results come late", |n| {
        concat([vec![Calls((0..n).collect()), User], repeat(n, |n| vec![Results(vec![n]), User])])
    }),
    ("calls one after the other, and their results in reverse", |n| {
        let mut results = repeat(n, |n| vec![Results(vec![n])]);
        results.reverse();
        concat([repeat(n, |n| vec![Calls(vec![n])]), results])
    }),
    ("all results before all calls", |n| vec![Results((0..n).collect()), Calls((0..n).collect()), User]),
    ("each result before its call", |n| repeat(n, |n| vec![Results(vec![n]), Calls(vec![n])])),
    ("results without calls", |n| repeat(n, |n| vec![Results(vec![n]), User])),
    ("results without calls, together", |n| vec![Results((0..n).collect())]),
    ("results without calls after a thought", |n| vec![Reasoning(0), Results((0..n).collect())]),
    ("one id on all calls, answered", |n| repeat(n, |_| vec![Calls(vec![1]), Results(vec![1])])),
    ("one id on all calls, open", |n| repeat(n, |_| vec![Calls(vec![1]), User])),
    ("one id on all calls of a batch", |n| vec![Calls(vec![1; n]), User]),
    ("one id on all calls and results of a batch", |n| vec![Calls(vec![1; n]), Results(vec![1; n])]),
    ("one call, many results", |n| vec![Calls(vec![1]), Results(vec![1; n])]),
    ("one call, many results apart", |n| {
        concat([vec![Calls(vec![1])], repeat(n, |_| vec![Results(vec![1]), User])])
    }),
    ("each call twice", |n| repeat(n, |n| vec![Calls(vec![n]), Calls(vec![n]), Results(vec![n])])),
    ("calls with broken arguments", |n| repeat(n, |n| vec![TruncatedCall(n), Results(vec![n])])),
    ("thoughts and answered calls", |n| repeat(n, |n| vec![Reasoning(n), Calls(vec![n]), Results(vec![n])])),
    ("thoughts and open calls", |n| repeat(n, |n| vec![Reasoning(n), Calls(vec![n]), User])),
    ("one thought, and many open calls", |n| vec![Reasoning(0), Calls((0..n).collect()), User]),
    ("thoughts alone", |n| repeat(n, |n| vec![Reasoning(n), User])),
    ("thoughts one after the other", |n| repeat(n, |n| vec![Reasoning(n)])),
    ("one id on all thoughts", |n| repeat(n, |n| vec![Reasoning(1), Calls(vec![n]), Results(vec![n])])),
    ("one id on all messages", |n| repeat(n, |_| vec![Reply(1)])),
    ("messages of the model, one after the other", |n| repeat(n, |n| vec![Reply(n)])),
    ("messages without content", |n| repeat(n, |_| vec![EmptyUser])),
    ("messages of the model without content", |n| repeat(n, |_| vec![EmptyReply, User])),
    ("a message of empty texts", |n| vec![Texts(n), Reply(0), User]),
    ("system messages", |n| repeat(n, |_| vec![System])),
    ("one key many times", |n| vec![Members(n, true)]),
    ("many unknown keys", |n| vec![Members(n, false)]),
];

/// Writes a request of a dialect; `text` is the text of every message and result.
pub(super) type RequestWriter = fn(&[ShapePart], &str) -> Value;

const DIALECTS: [(&str, RequestWriter, &str); 5] = [
    ("responses", responses, "anthropic"),
    ("chat", chat, "responses"),
    ("anthropic", anthropic, "chat"),
    ("gemini", gemini, "anthropic"),
    ("bedrock", bedrock, "gemini"),
];

pub(super) fn responses(parts: &[ShapePart], text: &str) -> Value {
    let items = parts.iter().flat_map(|part| match part {
        User => vec![json!({"role": "user", "content": text})],
        EmptyUser => vec![json!({"role": "user", "content": ""})],
        Texts(n) => vec![json!({"role": "user", "content": texts(*n, text, |text| json!({"type": "input_text", "text": text}))})],
        System => vec![json!({"role": "system", "content": text})],
        Reply(id) => vec![
            json!({"type": "message", "id": format!("msg_{id}"), "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}),
        ],
        EmptyReply => vec![json!({"role": "assistant", "content": []})],
        Reasoning(id) => {
            vec![json!({"type": "reasoning", "id": format!("rs_{id}"), "summary": [], "encrypted_content": "b"})]
        }
        Calls(ids) => ids
            .iter()
            .map(|id| json!({"type": "function_call", "call_id": format!("c{id}"), "name": "f", "arguments": "{}"}))
            .collect(),
        TruncatedCall(id) => {
            vec![json!({"type": "function_call", "call_id": format!("c{id}"), "name": "f", "arguments": "{"})]
        }
        Results(ids) => ids
            .iter()
            .map(|id| json!({"type": "function_call_output", "call_id": format!("c{id}"), "output": text}))
            .collect(),
        Members(..) => vec![json!({"role": "user", "content": text, "HERE": 0})],
    });
    let first = json!({"role": "user", "content": text});
    json!({"model": "gpt-5", "input": std::iter::once(first).chain(items).collect::<Vec<_>>()})
}

pub(super) fn chat(parts: &[ShapePart], text: &str) -> Value {
    let call = |id: &usize, arguments: &str| json!({"id": format!("c{id}"), "type": "function", "function": {"name": "f", "arguments": arguments}});
    let messages = parts.iter().flat_map(|part| match part {
        User => vec![json!({"role": "user", "content": text})],
        EmptyUser => vec![json!({"role": "user", "content": ""})],
        Texts(n) => {
            vec![json!({"role": "user", "content": texts(*n, text, |text| json!({"type": "text", "text": text}))})]
        }
        System => vec![json!({"role": "system", "content": text})],
        Reply(_) => vec![json!({"role": "assistant", "content": text})],
        EmptyReply => vec![json!({"role": "assistant", "content": null})],
        Reasoning(_) => vec![json!({"role": "assistant", "content": text, "reasoning_content": "t"})],
        Calls(ids) => {
            let calls: Vec<Value> = ids.iter().map(|id| call(id, "{}")).collect();
            vec![json!({"role": "assistant", "content": null, "tool_calls": calls})]
        }
        TruncatedCall(id) => vec![json!({"role": "assistant", "content": null, "tool_calls": [call(id, "{")]})],
        Results(ids) => ids
            .iter()
            .map(|id| json!({"role": "tool", "tool_call_id": format!("c{id}"), "content": text}))
            .collect(),
        Members(..) => vec![json!({"role": "user", "content": text, "HERE": 0})],
    });
    let first = json!({"role": "user", "content": text});
    json!({"model": "gpt-4o", "messages": std::iter::once(first).chain(messages).collect::<Vec<_>>()})
}

pub(super) fn anthropic(parts: &[ShapePart], text: &str) -> Value {
    let text_part = json!({"type": "text", "text": text});
    let call = |id: &usize| json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": "f", "input": {}});
    let result =
        |id: &usize| json!({"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": text});
    let messages = parts.iter().map(|part| match part {
        User => json!({"role": "user", "content": text}),
        EmptyUser => json!({"role": "user", "content": ""}),
        Texts(n) => json!({"role": "user", "content": texts(*n, text, |text| json!({"type": "text", "text": text}))}),
        System => json!({"role": "system", "content": text}),
        Reply(_) => json!({"role": "assistant", "content": [text_part]}),
        EmptyReply => json!({"role": "assistant", "content": [{"type": "text", "text": ""}]}),
        Reasoning(_) => {
            json!({"role": "assistant", "content": [text_part, {"type": "thinking", "thinking": "t", "signature": ""}]})
        }
        Calls(ids) => json!({"role": "assistant", "content": ids.iter().map(call).collect::<Vec<_>>()}),
        TruncatedCall(id) => {
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": format!("toolu_{id}"), "name": "f", "input": "{"}]})
        }
        Results(ids) => json!({"role": "user", "content": ids.iter().map(result).collect::<Vec<_>>()}),
        Members(..) => json!({"role": "user", "content": text, "HERE": 0}),
    });
    let first = json!({"role": "user", "content": text});
    let tools = json!([{"name": "f", "input_schema": {"type": "object"}}]);
    let messages: Vec<Value> = std::iter::once(first).chain(messages).collect();
    json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "tools": tools, "messages": messages})
}

fn gemini(parts: &[ShapePart], text: &str) -> Value {
    let text_part = json!({"text": text});
    let call = |id: &usize| json!({"functionCall": {"id": format!("c{id}"), "name": "f", "args": {}}});
    let result = |id: &usize| json!({"functionResponse": {"id": format!("c{id}"), "name": "f", "response": {"output": text}}});
    let contents = parts.iter().map(|part| match part {
        User => json!({"role": "user", "parts": [text_part]}),
        EmptyUser => json!({"role": "user", "parts": []}),
        Texts(n) => json!({"role": "user", "parts": texts(*n, text, |text| json!({"text": text}))}),
        System => json!({"role": "system", "parts": [text_part]}),
        Reply(_) => json!({"role": "model", "parts": [text_part]}),
        EmptyReply => json!({"role": "model", "parts": [{"text": ""}]}),
        Reasoning(_) => json!({"role": "model", "parts": [{"text": "t", "thought": true}]}),
        Calls(ids) => json!({"role": "model", "parts": ids.iter().map(call).collect::<Vec<_>>()}),
        TruncatedCall(id) => {
            json!({"role": "model", "parts": [{"functionCall": {"id": format!("c{id}"), "name": "f", "args": "{"}}]})
        }
        Results(ids) => json!({"role": "user", "parts": ids.iter().map(result).collect::<Vec<_>>()}),
        Members(..) => json!({"role": "user", "parts": [text_part], "HERE": 0}),
    });
    let first = json!({"role": "user", "parts": [text_part]});
    json!({"contents": std::iter::once(first).chain(contents).collect::<Vec<_>>()})
}

fn bedrock(parts: &[ShapePart], text: &str) -> Value {
    let text_part = json!({"text": text});
    let call = |id: &usize| json!({"toolUse": {"toolUseId": format!("t{id}"), "name": "f", "input": {}}});
    let result = |id: &usize| json!({"toolResult": {"toolUseId": format!("t{id}"), "content": [{"text": text}]}});
    let messages = parts.iter().map(|part| match part {
        User => json!({"role": "user", "content": [text_part]}),
        EmptyUser => json!({"role": "user", "content": []}),
        Texts(n) => json!({"role": "user", "content": texts(*n, text, |text| json!({"text": text}))}),
        System => json!({"role": "system", "content": [text_part]}),
        Reply(_) => json!({"role": "assistant", "content": [text_part]}),
        EmptyReply => json!({"role": "assistant", "content": [{"text": ""}]}),
        Reasoning(_) => {
            json!({"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "t"}}}]})
        }
        Calls(ids) => json!({"role": "assistant", "content": ids.iter().map(call).collect::<Vec<_>>()}),
        TruncatedCall(id) => {
            json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": format!("t{id}"), "name": "f", "input": "{"}}]})
        }
        Results(ids) => json!({"role": "user", "content": ids.iter().map(result).collect::<Vec<_>>()}),
        Members(..) => json!({"role": "user", "content": [text_part], "HERE": 0}),
    });
    let first = json!({"role": "user", "content": [text_part]});
    let tools = json!({"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]});
    json!({"messages": std::iter::once(first).chain(messages).collect::<Vec<_>>(), "toolConfig": tools})
}

fn texts(n: usize, last: &str, write: fn(&str) -> Value) -> Vec<Value> {
    (0..n).map(|ix| write(if ix + 1 < n { "" } else { last })).collect()
}

pub(super) fn document(write: RequestWriter, parts: &[ShapePart], text: &str) -> String {
    let document = write(parts, text).to_string();
    match parts {
        [Members(n, same)] => {
            let members: Vec<String> = (0..*n).map(|n| format!(r#""k{}":0"#, if *same { 0 } else { n })).collect();
            document.replace(r#""HERE":0"#, &members.join(","))
        }
        _ => document,
    }
}

/// A request as an agent's session: each block of a message is a separate line, repeated `copies` times.
fn session(request: &Value, copies: usize) -> String {
    let (mut lines, mut parent) = (String::new(), Value::Null);
    for (n, message) in request["messages"].as_array().expect("messages").iter().enumerate() {
        let whole = vec![message["content"].clone()];
        let blocks = message["content"].as_array().map(|list| list.iter().map(|block| json!([block])).collect());
        let mut empty = message.clone();
        empty["content"] = Value::Null;
        for (ix, content) in blocks.unwrap_or(whole).into_iter().enumerate() {
            let mut message = empty.clone();
            message["content"] = content;
            if message["role"] == "assistant" {
                message["id"] = format!("msg_{n}").into();
            }
            let uuid = Value::from(format!("{n:08x}-{ix:04x}-4000-8000-000000000000"));
            let line = json!({
                "parentUuid": parent, "isSidechain": false, "userType": "external", "sessionId": "s", "version": "2.1.0",
                "type": message["role"], "message": message, "uuid": uuid,
            });
            lines.push_str(&format!("{line}\n").repeat(copies));
            parent = uuid;
        }
    }
    lines
}

fn assert_dialect_linear(dialect: &str) {
    let (_, write, to) = DIALECTS.iter().find(|(name, ..)| *name == dialect).expect("a dialect");
    assert_shapes_linear(dialect, to, &|parts, text| document(*write, parts, text));
}

fn assert_shapes_linear(dialect: &str, to: &str, write: &dyn Fn(&[ShapePart], &str) -> String) {
    let (mut failures, mut repaired) = (Vec::new(), 0);
    for (name, shape) in SHAPES {
        let work = |n: usize| {
            let parts = shape(n);
            run_commands(&write(&parts, "x"), &write(&parts, "y"), to)
        };
        let (few, many) = (work(FEW), work(MANY));
        assert!(many.items > 0, "{dialect}, {name}: not read");
        repaired += usize::from(many.findings >= MANY / 2 && many.changes >= MANY / 2);
        failures.extend(superlinear_commands(&format!("{dialect}, {name}"), &few, &many, MOST));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // Shapes without findings and repairs would prove little.
    assert!(repaired >= 10, "{dialect}: only {repaired} shapes have many repairs");
}

/// Writes each shape in each dialect, in two sizes, for `benches/growth.py`, which times the program on them: work that is not
/// counted shows there. Each shape is also written in its least size, as many times, one request a line: what grows with the
/// number of histories shows only in logs. So is each sample of testdata, as a log or a list of copies of it.
#[test]
#[ignore = "writes to the folder that REPLAYLINT_SHAPES names"]
fn write_shapes() {
    let folder = std::env::var("REPLAYLINT_SHAPES").expect("a folder in REPLAYLINT_SHAPES");
    let few: usize = std::env::var("REPLAYLINT_SIZE").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let folder = std::path::Path::new(&folder);
    let write = |name: &str, shape: &str, n: usize, text: &str| {
        let name = format!("{name}.{}.{n}", shape.replace([' ', ','], "_"));
        std::fs::write(folder.join(name), text).expect("written");
    };
    for (name, shape) in SHAPES {
        for n in [few, 4 * few] {
            let parts = shape(n);
            for (dialect, write_request, _) in DIALECTS {
                write(dialect, name, n, &document(write_request, &parts, "x"));
                let line = document(write_request, &shape(2), "x") + "\n";
                write(&format!("{dialect}-log"), name, n / 4, &line.repeat(n / 4));
            }
            write("claude-code", name, n, &session(&anthropic(&parts, "x"), 1));
        }
    }
    for (name, text) in sample_texts() {
        let copies = few * 50 / text.len().max(1) + 1;
        for n in [copies, 4 * copies] {
            if let Some(repeated) = repeated(&name, &text, n) {
                write("copies", &name.replace(['/', '.'], "_"), n, &repeated);
            }
        }
    }
}

/// A sample so many times: its lines, the elements of its list, or of each list that it contains. `None` for a document of
/// another kind.
pub(super) fn repeated(name: &str, text: &[u8], copies: usize) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    if name.ends_with(".jsonl") {
        return Some(format!("{}\n", text.trim_end()).repeat(copies));
    }
    let mut document: Value = serde_json::from_str(text).ok()?;
    repeat_lists(&mut document, copies).then(|| document.to_string())
}

#[test]
fn thirty_shapes_of_responses_are_linear() {
    assert_dialect_linear("responses");
}

#[test]
fn thirty_shapes_of_chat_are_linear() {
    assert_dialect_linear("chat");
}

#[test]
fn thirty_shapes_of_anthropic_are_linear() {
    assert_dialect_linear("anthropic");
}

#[test]
fn thirty_shapes_of_sessions_are_linear() {
    assert_shapes_linear("claude-code", "chat", &|parts, text| session(&anthropic(parts, text), 1));
}

#[test]
fn thirty_shapes_of_sessions_with_copies_are_linear() {
    assert_shapes_linear("claude-code, twice", "chat", &|parts, text| session(&anthropic(parts, text), 2));
}

#[test]
fn thirty_shapes_of_gemini_are_linear() {
    assert_dialect_linear("gemini");
}

#[test]
fn thirty_shapes_of_bedrock_are_linear() {
    assert_dialect_linear("bedrock");
}
