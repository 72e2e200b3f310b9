//! Histories of many calls, results, thoughts and messages in thirty shapes that are easily handled in quadratic time,
//! each in each dialect: the work of every command grows with their length.

use serde_json::{Value, json};

use crate::linear::commands::{grown, run};
use crate::support::work::MOST;

const FEW: usize = 100;
const MANY: usize = 4 * FEW;

/// What a shape is made of.
#[derive(Clone)]
enum Part {
    User,
    /// A user's message with nothing in it.
    Blank,
    /// A user's message of this many texts, all of them empty but the last.
    Texts(usize),
    System,
    /// A message of the model, with an id where the dialect has ids.
    Said(usize),
    /// A message of the model with nothing in it.
    Silent,
    /// A thought, with an id where the dialect has ids.
    Thought(usize),
    /// Calls that the model makes together.
    Calls(Vec<usize>),
    /// A call whose arguments are cut off.
    Cut(usize),
    /// Results that come together.
    Results(Vec<usize>),
    /// A user's message with this many members of one name, or of different names.
    Members(usize, bool),
}

use Part::{Blank, Calls, Cut, Members, Results, Said, Silent, System, Texts, Thought, User};

type Shape = (&'static str, fn(usize) -> Vec<Part>);

fn each(n: usize, parts: fn(usize) -> Vec<Part>) -> Vec<Part> {
    (0..n).flat_map(parts).collect()
}

fn together(parts: impl IntoIterator<Item = Vec<Part>>) -> Vec<Part> {
    parts.into_iter().flatten().collect()
}

const SHAPES: [Shape; 36] = [
    ("answered calls", |n| each(n, |n| vec![Calls(vec![n]), Results(vec![n])])),
    ("open calls", |n| each(n, |n| vec![Calls(vec![n]), User])),
    ("open calls, one after the other", |n| each(n, |n| vec![Calls(vec![n])])),
    ("one open batch", |n| vec![Calls((0..n).collect()), User]),
    ("one batch, half of it answered", |n| {
        vec![Calls((0..n).collect()), Results((0..n).step_by(2).collect()), User]
    }),
    ("one batch, answered in reverse", |n| vec![Calls((0..n).collect()), Results((0..n).rev().collect())]),
    ("a batch, and each result apart", |n| {
        together([vec![Calls((0..n).collect())], each(n, |n| vec![Results(vec![n])])])
    }),
    ("a batch whose results come late", |n| {
        together([vec![Calls((0..n).collect()), User], each(n, |n| vec![Results(vec![n]), User])])
    }),
    ("calls one after the other, and their results in reverse", |n| {
        let mut results = each(n, |n| vec![Results(vec![n])]);
        results.reverse();
        together([each(n, |n| vec![Calls(vec![n])]), results])
    }),
    ("all results before all calls", |n| vec![Results((0..n).collect()), Calls((0..n).collect()), User]),
    ("each result before its call", |n| each(n, |n| vec![Results(vec![n]), Calls(vec![n])])),
    ("results without calls", |n| each(n, |n| vec![Results(vec![n]), User])),
    ("results without calls, together", |n| vec![Results((0..n).collect())]),
    ("results without calls after a thought", |n| vec![Thought(0), Results((0..n).collect())]),
    ("one id on all calls, answered", |n| each(n, |_| vec![Calls(vec![1]), Results(vec![1])])),
    ("one id on all calls, open", |n| each(n, |_| vec![Calls(vec![1]), User])),
    ("one id on all calls of a batch", |n| vec![Calls(vec![1; n]), User]),
    ("one id on all calls and results of a batch", |n| vec![Calls(vec![1; n]), Results(vec![1; n])]),
    ("one call, many results", |n| vec![Calls(vec![1]), Results(vec![1; n])]),
    ("one call, many results apart", |n| {
        together([vec![Calls(vec![1])], each(n, |_| vec![Results(vec![1]), User])])
    }),
    ("each call twice", |n| each(n, |n| vec![Calls(vec![n]), Calls(vec![n]), Results(vec![n])])),
    ("calls with broken arguments", |n| each(n, |n| vec![Cut(n), Results(vec![n])])),
    ("thoughts and answered calls", |n| each(n, |n| vec![Thought(n), Calls(vec![n]), Results(vec![n])])),
    ("thoughts and open calls", |n| each(n, |n| vec![Thought(n), Calls(vec![n]), User])),
    ("one thought, and many open calls", |n| vec![Thought(0), Calls((0..n).collect()), User]),
    ("thoughts alone", |n| each(n, |n| vec![Thought(n), User])),
    ("thoughts one after the other", |n| each(n, |n| vec![Thought(n)])),
    ("one id on all thoughts", |n| each(n, |n| vec![Thought(1), Calls(vec![n]), Results(vec![n])])),
    ("one id on all messages", |n| each(n, |_| vec![Said(1)])),
    ("messages of the model, one after the other", |n| each(n, |n| vec![Said(n)])),
    ("messages without content", |n| each(n, |_| vec![Blank])),
    ("messages of the model without content", |n| each(n, |_| vec![Silent, User])),
    ("a message of empty texts", |n| vec![Texts(n), Said(0), User]),
    ("system messages", |n| each(n, |_| vec![System])),
    ("one key many times", |n| vec![Members(n, true)]),
    ("many unknown keys", |n| vec![Members(n, false)]),
];

/// A request of a dialect. `text` is what everybody says.
type Write = fn(&[Part], &str) -> Value;

const DIALECTS: [(&str, Write, &str); 5] = [
    ("responses", responses, "anthropic"),
    ("chat", chat, "responses"),
    ("anthropic", anthropic, "chat"),
    ("gemini", gemini, "anthropic"),
    ("bedrock", bedrock, "gemini"),
];

fn responses(parts: &[Part], text: &str) -> Value {
    let items = parts.iter().flat_map(|part| match part {
        User => vec![json!({"role": "user", "content": text})],
        Blank => vec![json!({"role": "user", "content": ""})],
        Texts(n) => vec![json!({"role": "user", "content": texts(*n, text, |text| json!({"type": "input_text", "text": text}))})],
        System => vec![json!({"role": "system", "content": text})],
        Said(id) => vec![
            json!({"type": "message", "id": format!("msg_{id}"), "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}),
        ],
        Silent => vec![json!({"role": "assistant", "content": []})],
        Thought(id) => {
            vec![json!({"type": "reasoning", "id": format!("rs_{id}"), "summary": [], "encrypted_content": "b"})]
        }
        Calls(ids) => ids
            .iter()
            .map(|id| json!({"type": "function_call", "call_id": format!("c{id}"), "name": "f", "arguments": "{}"}))
            .collect(),
        Cut(id) => {
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

fn chat(parts: &[Part], text: &str) -> Value {
    let call = |id: &usize, arguments: &str| json!({"id": format!("c{id}"), "type": "function", "function": {"name": "f", "arguments": arguments}});
    let messages = parts.iter().flat_map(|part| match part {
        User => vec![json!({"role": "user", "content": text})],
        Blank => vec![json!({"role": "user", "content": ""})],
        Texts(n) => {
            vec![json!({"role": "user", "content": texts(*n, text, |text| json!({"type": "text", "text": text}))})]
        }
        System => vec![json!({"role": "system", "content": text})],
        Said(_) => vec![json!({"role": "assistant", "content": text})],
        Silent => vec![json!({"role": "assistant", "content": null})],
        Thought(_) => vec![json!({"role": "assistant", "content": text, "reasoning_content": "t"})],
        Calls(ids) => {
            let calls: Vec<Value> = ids.iter().map(|id| call(id, "{}")).collect();
            vec![json!({"role": "assistant", "content": null, "tool_calls": calls})]
        }
        Cut(id) => vec![json!({"role": "assistant", "content": null, "tool_calls": [call(id, "{")]})],
        Results(ids) => ids
            .iter()
            .map(|id| json!({"role": "tool", "tool_call_id": format!("c{id}"), "content": text}))
            .collect(),
        Members(..) => vec![json!({"role": "user", "content": text, "HERE": 0})],
    });
    let first = json!({"role": "user", "content": text});
    json!({"model": "gpt-4o", "messages": std::iter::once(first).chain(messages).collect::<Vec<_>>()})
}

fn anthropic(parts: &[Part], text: &str) -> Value {
    let said = json!({"type": "text", "text": text});
    let call = |id: &usize| json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": "f", "input": {}});
    let result =
        |id: &usize| json!({"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": text});
    let messages = parts.iter().map(|part| match part {
        User => json!({"role": "user", "content": text}),
        Blank => json!({"role": "user", "content": ""}),
        Texts(n) => json!({"role": "user", "content": texts(*n, text, |text| json!({"type": "text", "text": text}))}),
        System => json!({"role": "system", "content": text}),
        Said(_) => json!({"role": "assistant", "content": [said]}),
        Silent => json!({"role": "assistant", "content": [{"type": "text", "text": ""}]}),
        Thought(_) => {
            json!({"role": "assistant", "content": [said, {"type": "thinking", "thinking": "t", "signature": ""}]})
        }
        Calls(ids) => json!({"role": "assistant", "content": ids.iter().map(call).collect::<Vec<_>>()}),
        Cut(id) => {
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

fn gemini(parts: &[Part], text: &str) -> Value {
    let said = json!({"text": text});
    let call = |id: &usize| json!({"functionCall": {"id": format!("c{id}"), "name": "f", "args": {}}});
    let result = |id: &usize| json!({"functionResponse": {"id": format!("c{id}"), "name": "f", "response": {"output": text}}});
    let contents = parts.iter().map(|part| match part {
        User => json!({"role": "user", "parts": [said]}),
        Blank => json!({"role": "user", "parts": []}),
        Texts(n) => json!({"role": "user", "parts": texts(*n, text, |text| json!({"text": text}))}),
        System => json!({"role": "system", "parts": [said]}),
        Said(_) => json!({"role": "model", "parts": [said]}),
        Silent => json!({"role": "model", "parts": [{"text": ""}]}),
        Thought(_) => json!({"role": "model", "parts": [{"text": "t", "thought": true}]}),
        Calls(ids) => json!({"role": "model", "parts": ids.iter().map(call).collect::<Vec<_>>()}),
        Cut(id) => {
            json!({"role": "model", "parts": [{"functionCall": {"id": format!("c{id}"), "name": "f", "args": "{"}}]})
        }
        Results(ids) => json!({"role": "user", "parts": ids.iter().map(result).collect::<Vec<_>>()}),
        Members(..) => json!({"role": "user", "parts": [said], "HERE": 0}),
    });
    let first = json!({"role": "user", "parts": [said]});
    json!({"contents": std::iter::once(first).chain(contents).collect::<Vec<_>>()})
}

fn bedrock(parts: &[Part], text: &str) -> Value {
    let said = json!({"text": text});
    let call = |id: &usize| json!({"toolUse": {"toolUseId": format!("t{id}"), "name": "f", "input": {}}});
    let result = |id: &usize| json!({"toolResult": {"toolUseId": format!("t{id}"), "content": [{"text": text}]}});
    let messages = parts.iter().map(|part| match part {
        User => json!({"role": "user", "content": [said]}),
        Blank => json!({"role": "user", "content": []}),
        Texts(n) => json!({"role": "user", "content": texts(*n, text, |text| json!({"text": text}))}),
        System => json!({"role": "system", "content": [said]}),
        Said(_) => json!({"role": "assistant", "content": [said]}),
        Silent => json!({"role": "assistant", "content": [{"text": ""}]}),
        Thought(_) => {
            json!({"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "t"}}}]})
        }
        Calls(ids) => json!({"role": "assistant", "content": ids.iter().map(call).collect::<Vec<_>>()}),
        Cut(id) => {
            json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": format!("t{id}"), "name": "f", "input": "{"}}]})
        }
        Results(ids) => json!({"role": "user", "content": ids.iter().map(result).collect::<Vec<_>>()}),
        Members(..) => json!({"role": "user", "content": [said], "HERE": 0}),
    });
    let first = json!({"role": "user", "content": [said]});
    let tools = json!({"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]});
    json!({"messages": std::iter::once(first).chain(messages).collect::<Vec<_>>(), "toolConfig": tools})
}

fn texts(n: usize, last: &str, write: fn(&str) -> Value) -> Vec<Value> {
    (0..n).map(|ix| write(if ix + 1 < n { "" } else { last })).collect()
}

fn document(write: Write, parts: &[Part], text: &str) -> String {
    let document = write(parts, text).to_string();
    match parts {
        [Members(n, same)] => {
            let members: Vec<String> = (0..*n).map(|n| format!(r#""k{}":0"#, if *same { 0 } else { n })).collect();
            document.replace(r#""HERE":0"#, &members.join(","))
        }
        _ => document,
    }
}

/// A request as the session of an agent: each block of a message is a line of its own, and there so many times.
fn session(request: &Value, copies: usize) -> String {
    let (mut lines, mut parent) = (String::new(), Value::Null);
    for (n, message) in request["messages"].as_array().expect("messages").iter().enumerate() {
        let whole = vec![message["content"].clone()];
        let blocks = message["content"].as_array().map(|list| list.iter().map(|block| json!([block])).collect());
        for (ix, content) in blocks.unwrap_or(whole).into_iter().enumerate() {
            let mut message = message.clone();
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

fn all_shapes_are_linear(dialect: &str) {
    let (_, write, to) = DIALECTS.iter().find(|(name, ..)| *name == dialect).expect("a dialect");
    all_are_linear(dialect, to, &|parts, text| document(*write, parts, text));
}

fn all_are_linear(dialect: &str, to: &str, write: &dyn Fn(&[Part], &str) -> String) {
    let (mut faults, mut repaired) = (Vec::new(), 0);
    for (name, shape) in SHAPES {
        let done = |n: usize| {
            let parts = shape(n);
            run(&write(&parts, "x"), &write(&parts, "y"), to)
        };
        let (few, many) = (done(FEW), done(MANY));
        assert!(many.items > 0, "{dialect}, {name}: not read");
        repaired += usize::from(many.findings >= MANY / 2 && many.changes >= MANY / 2);
        faults.extend(grown(&format!("{dialect}, {name}"), &few, &many, MOST));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Shapes in which nothing is found and repaired would prove little.
    assert!(repaired >= 10, "{dialect}: only {repaired} shapes have many repairs");
}

#[test]
fn thirty_shapes_of_responses_are_linear() {
    all_shapes_are_linear("responses");
}

#[test]
fn thirty_shapes_of_chat_are_linear() {
    all_shapes_are_linear("chat");
}

#[test]
fn thirty_shapes_of_anthropic_are_linear() {
    all_shapes_are_linear("anthropic");
}

#[test]
fn thirty_shapes_of_sessions_are_linear() {
    all_are_linear("claude-code", "chat", &|parts, text| session(&anthropic(parts, text), 1));
}

#[test]
fn thirty_shapes_of_sessions_with_copies_are_linear() {
    all_are_linear("claude-code, twice", "chat", &|parts, text| session(&anthropic(parts, text), 2));
}

#[test]
fn thirty_shapes_of_gemini_are_linear() {
    all_shapes_are_linear("gemini");
}

#[test]
fn thirty_shapes_of_bedrock_are_linear() {
    all_shapes_are_linear("bedrock");
}
