//! Recorded streams of Chat Completions and of Anthropic: their merged events, compared with an independent reduction; in
//! every framing; truncated anywhere; and the amount of work.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::judge::Options;
use replaylint::internals::source::GrowableBytes;
use replaylint::internals::target::Severity;
use serde_json::{Value, json};

use crate::convert::cases::{convert_bytes, convert_text, plan};
use crate::rules::corpus::{corpus, manifest};
use crate::support::work::{CountedDoc, Work, grows_linearly};
use crate::support::{check, check_of, diagnostics, repair};

/// The events of a recording, in any framing.
fn events(text: &str) -> Vec<Value> {
    if let Ok(Value::Array(events)) = serde_json::from_str(text) {
        return events;
    }
    let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
    lines.filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object).collect()
}

/// The content of a message, part by part.
#[derive(Clone, Default, PartialEq, Debug)]
struct StreamContent {
    texts: BTreeMap<String, String>,
    calls: Vec<(String, String, String)>,
    blocks: Vec<Value>,
}

/// The message of the only choice in chunks of Chat Completions, as one server writes them.
fn reduce_chat(events: &[Value]) -> StreamContent {
    let mut content = StreamContent::default();
    for choice in events.iter().flat_map(|event| event["choices"].as_array().into_iter().flatten()) {
        let delta = &choice["delta"];
        for key in ["content", "refusal", "reasoning", "reasoning_content"] {
            if let Some(text) = delta[key].as_str().filter(|text| !text.is_empty()) {
                content.texts.entry(key.to_owned()).or_default().push_str(text);
            }
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let text = |val: &Value| val.as_str().unwrap_or_default().to_owned();
            let at = call["index"].as_u64().expect("an index") as usize;
            if at == content.calls.len() {
                content.calls.push((text(&call["id"]), text(&call["function"]["name"]), String::new()));
            }
            content.calls[at].2.push_str(&text(&call["function"]["arguments"]));
        }
    }
    content
}

fn chat_content(message: &Value) -> StreamContent {
    let mut content = StreamContent::default();
    for key in ["content", "refusal", "reasoning", "reasoning_content"] {
        if let Some(text) = message[key].as_str().filter(|text| !text.is_empty()) {
            content.texts.insert(key.to_owned(), text.to_owned());
        }
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let text = |val: &Value| val.as_str().expect("a text").to_owned();
        let function = &call["function"];
        content.calls.push((text(&call["id"]), text(&function["name"]), text(&function["arguments"])));
    }
    content
}

/// The blocks of Anthropic's events.
fn reduce_anthropic(events: &[Value]) -> StreamContent {
    let mut content = StreamContent::default();
    let mut inputs: Vec<String> = Vec::new();
    for event in events {
        let at = event["index"].as_u64().unwrap_or(0) as usize;
        let delta = &event["delta"];
        let grow = |block: &mut Value, key: &str| {
            let before = block[key].as_str().unwrap_or_default().to_owned();
            let piece = delta[if key == "content" { "content" } else { key }].as_str().expect("a text");
            block[key] = json!(before + piece);
        };
        match (event["type"].as_str(), delta["type"].as_str()) {
            (Some("content_block_start"), _) => {
                content.blocks.push(event["content_block"].clone());
                inputs.push(String::new());
            }
            (Some("content_block_delta"), Some("text_delta")) => grow(&mut content.blocks[at], "text"),
            (Some("content_block_delta"), Some("thinking_delta")) => grow(&mut content.blocks[at], "thinking"),
            (Some("content_block_delta"), Some("signature_delta")) => grow(&mut content.blocks[at], "signature"),
            (Some("content_block_delta"), Some("compaction_delta")) => grow(&mut content.blocks[at], "content"),
            (Some("content_block_delta"), Some("input_json_delta")) => {
                inputs[at].push_str(delta["partial_json"].as_str().expect("a text"));
            }
            (Some("content_block_delta"), Some("citations_delta")) => {
                let list = &mut content.blocks[at]["citations"];
                if list.is_null() {
                    *list = json!([]);
                }
                list.as_array_mut().expect("a list").push(delta["citation"].clone());
            }
            (Some("content_block_stop"), _) if !inputs[at].is_empty() => {
                content.blocks[at]["input"] = serde_json::from_str(&inputs[at]).expect("JSON");
            }
            _ => {}
        }
    }
    content
}

/// The messages that `convert` writes for a stream in its own dialect.
fn messages(text: &[u8], dialect: &str) -> Vec<Value> {
    let (out, _) = convert_text(text, &Options::default(), plan(dialect));
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice::<Value>(line).expect("JSON")["messages"][0].clone()).collect()
}

fn format_of(text: &[u8]) -> Option<&'static str> {
    check(text, &Options::default()).format.map(|format| format.info().name)
}

#[test]
fn recorded_streams_add_up_to_their_messages() {
    let Some(root) = corpus() else { return };
    let kinds = [("openai-chat", "chat-stream", "chat"), ("anthropic-messages", "anthropic-stream", "anthropic")];
    let mut read = 0;
    for row in manifest(&root).iter().filter(|row| row.kind == "sse") {
        let Some((_, format, dialect)) = kinds.iter().find(|(of, ..)| *of == row.format) else { continue };
        let text = fs::read(root.join(&row.path)).expect("readable");
        assert_eq!(format_of(&text), Some(*format), "{}", row.path);
        let found = diagnostics(&text, &Options::default());
        let loud = |code: &str| found.iter().any(|one| one.rule.to_string() == code);
        assert!(found.iter().all(|one| one.severity < Severity::Error), "{}: {found:?}", row.path);
        assert!(!loud("RL605") && !loud("RL004"), "{}: {found:?}", row.path);
        let events = events(&String::from_utf8(text.clone()).expect("UTF-8"));
        let made = messages(&text, dialect);
        let [message] = made.as_slice() else { panic!("{}: {} messages", row.path, made.len()) };
        if *dialect == "chat" {
            assert_eq!(chat_content(message), reduce_chat(&events), "{}", row.path);
        } else {
            assert_eq!(message["content"], Value::Array(reduce_anthropic(&events).blocks), "{}", row.path);
        }
        read += 1;
    }
    println!("{read} recorded streams");
    assert_eq!(read, 91);
}

fn own_files() -> Vec<(PathBuf, &'static str)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let mut files = Vec::new();
    for (folder, dialect) in [("chat-stream", "chat"), ("anthropic-stream", "anthropic")] {
        let folder = fs::read_dir(root.join(folder)).expect("testdata").flatten();
        files.extend(folder.map(|entry| (entry.path(), dialect)));
    }
    files
}

/// Events as server-sent events, one a line, and in an array.
fn framings(events: &[Value]) -> [String; 4] {
    let lines = |before: &str, after: &str| -> String {
        events.iter().map(|event| format!("{before}{event}{after}")).collect()
    };
    [
        lines("data: ", "\n\n"),
        format!(": a comment\r\n\r\n{}retry: 9\r\n\r\n", lines("event: x\r\nid: 1\r\ndata:", "\r\n\r\n")),
        lines("", "\n"),
        serde_json::to_string_pretty(events).expect("JSON"),
    ]
}

#[test]
fn every_framing_says_the_same() {
    let mut compared = 0;
    for (path, dialect) in own_files() {
        let text = fs::read_to_string(&path).expect("readable");
        let events = events(&text);
        // Events on several lines are left out here.
        let whole = text.matches("chat.completion.chunk").count();
        if dialect == "chat"
            && events.iter().filter(|event| event["object"] == "chat.completion.chunk").count() < whole
        {
            continue;
        }
        let [first, others @ ..] = framings(&events).map(|text| messages(text.as_bytes(), dialect));
        assert!(!first.is_empty(), "{}", path.display());
        for (n, other) in others.into_iter().enumerate() {
            assert_eq!(first, other, "{}: framing {}", path.display(), n + 1);
        }
        compared += 1;
    }
    assert!(compared >= 11, "{compared} files");
}

#[test]
fn an_event_on_several_lines_is_one() {
    let text = "data: {\"id\": \"p\", \"object\": \"chat.completion.chunk\",\ndata:  \"choices\": [{\"index\": 0,\ndata: \
                \"delta\": {\"role\": \"assistant\", \"content\": \"a\\nb\"}, \"finish_reason\": \"stop\"}]}\n\n";
    assert_eq!(format_of(text.as_bytes()), Some("chat-stream"));
    let made = messages(text.as_bytes(), "chat");
    assert_eq!((made.len(), made[0]["content"].as_str()), (1, Some("a\nb")));
}

#[test]
fn a_stream_may_be_cut_anywhere() {
    let mut cuts = 0;
    for (path, dialect) in own_files() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if ["empty.sse", "arguments.sse"].contains(&name.as_str()) {
            // These have errors.
            continue;
        }
        let events = events(&fs::read_to_string(&path).expect("readable"));
        for end in 1..events.len() {
            let text = framings(&events[..end])[0].clone();
            let found = diagnostics(text.as_bytes(), &Options::default());
            let errors: Vec<_> = found.iter().filter(|one| one.severity == Severity::Error).collect();
            let is_read = format_of(text.as_bytes()).is_some();
            assert!(!is_read || errors.is_empty(), "{name}, {end} events: {errors:?}");
            let unfinished = found.iter().filter(|one| one.rule.to_string() == "RL605").count();
            let open = is_open(&events[..end], dialect);
            assert!(!is_read || (unfinished > 0) == open, "{name}, {end} events: {found:?}");
            assert!(repair(text.as_bytes(), &Options::default(), &Default::default()).fixed.patch.is_empty());
            cuts += 1;
        }
    }
    assert!(cuts > 60, "{cuts} cuts");
}

/// True if a message has begun and not ended.
fn is_open(events: &[Value], dialect: &str) -> bool {
    if dialect == "anthropic" {
        let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        return count("message_start") > count("message_delta");
    }
    let mut open: BTreeMap<(String, u64), bool> = BTreeMap::new();
    for event in events {
        for choice in event["choices"].as_array().into_iter().flatten() {
            let of = (event["id"].to_string(), choice["index"].as_u64().expect("an index"));
            *open.entry(of).or_insert(true) &= choice["finish_reason"].is_null();
        }
    }
    open.values().any(|open| *open)
}

#[test]
fn a_finding_has_the_place_of_its_piece() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    for (file, rule, piece) in [
        ("chat-stream/arguments.sse", "RL513", "\"id\": \"call_bad\""),
        ("anthropic-stream/empty.sse", "RL537", "\"id\": \"not allowed!\""),
    ] {
        let text = fs::read_to_string(root.join(file)).expect("readable");
        let found = diagnostics(text.as_bytes(), &Options::default());
        let one = found.iter().find(|one| one.rule.to_string() == rule).expect("it is found");
        let line = text.lines().nth(one.location.line as usize - 1).expect("a line");
        assert!(line.contains(piece), "{file}: {line}");
        assert!(line[one.location.column as usize - 1..].starts_with('{'), "{file}");
    }
}

/// Generates a stream of this many pieces.
type StreamGenerator = fn(usize) -> String;

fn long_chat(n: usize) -> String {
    let chunk = |delta: String, reason: &str| {
        format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":0,\"delta\":{delta},\
             \"finish_reason\":{reason}}}]}}\n\n"
        )
    };
    let mut text = chunk(r#"{"role":"assistant","content":""}"#.to_owned(), "null");
    for n in 0..n {
        text += &chunk(format!(r#"{{"content":"word {n} "}}"#), "null");
        let call = format!(
            r#"{{"tool_calls":[{{"index":{n},"id":"call_{n}","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
        );
        text += &chunk(call, "null");
    }
    text + &chunk("{}".to_owned(), "\"tool_calls\"")
}

fn long_anthropic(n: usize) -> String {
    let mut events =
        vec![json!({"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],
        "model":"claude-sonnet-4-5","stop_reason":null}})];
    for n in 0..n {
        events.push(json!({"type":"content_block_start","index":n,"content_block":{"type":"tool_use","id":format!("toolu_{n}"),
            "name":"f","input":{}}}));
        events.push(json!({"type":"content_block_delta","index":n,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}));
        events.push(json!({"type":"content_block_delta","index":n,"delta":{"type":"input_json_delta","partial_json":"1}"}}));
        events.push(json!({"type":"content_block_stop","index":n}));
    }
    events.push(json!({"type":"message_delta","delta":{"stop_reason":"tool_use"}}));
    events.push(json!({"type":"message_stop"}));
    framings(&events)[0].clone()
}

#[test]
fn four_times_as_many_pieces_are_four_times_the_work() {
    let makes = [("chat", long_chat as StreamGenerator), ("anthropic", long_anthropic)];
    for (dialect, make) in makes {
        let work = |n: usize| {
            let doc = GrowableBytes::new(CountedDoc(make(n).into_bytes()));
            let (checked, found) = Work::of(|| check_of(&doc, &Options::default()));
            assert_eq!((found.histories, found.items), (1, n as u64 + 1), "{dialect}");
            let other = if dialect == "chat" { "anthropic" } else { "chat" };
            let (cast, (_, done)) = Work::of(|| convert_bytes(&doc, &Options::default(), plan(other)));
            assert_eq!(done.converted, 1, "{dialect}");
            (checked, cast)
        };
        let (few, many) = (work(4_000), work(16_000));
        grows_linearly(&format!("{dialect}, check"), few.0, many.0);
        grows_linearly(&format!("{dialect}, convert"), few.1, many.1);
    }
}
