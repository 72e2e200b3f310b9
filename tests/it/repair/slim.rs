//! Logs that repeat themselves: what `slim` removes can be restored, and nothing else is removed.

use replaylint::internals::convert::stream;
use replaylint::internals::format::Format;
use replaylint::internals::format::requests::{RebuildError, RebuildQuery, RebuiltRequest};
use replaylint::internals::formats::agents::iterate;
use replaylint::internals::judge;
use replaylint::internals::place::Pieces;
use replaylint::internals::read::Options;
use replaylint::internals::rebuild::slim::restore::{has_references, restore};
use replaylint::internals::rebuild::slim::{SlimPlan, SlimRefusal, slim};
use replaylint::internals::source::{PatchedView, ReadAt};
use serde_json::{Value, json};

use crate::logs;
use crate::support::{DOC, check, codes, diagnostics};

fn slim_text(text: &[u8]) -> (SlimPlan, Vec<u8>) {
    let bytes = text.to_vec();
    let plan = slim(DOC, &bytes, &Options::default()).expect("memory reads");
    let view = PatchedView::new(&bytes, Pieces::new(plan.patch.edits(DOC), DOC, ReadAt::len(&bytes)));
    let mut out = Vec::new();
    view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
    (plan, out)
}

fn restore_text(text: &[u8]) -> Vec<u8> {
    let document = restore(DOC, &text.to_vec(), &Options::default()).expect("a file can be written");
    assert_eq!(document.unresolved, []);
    let mut out = Vec::new();
    document.bytes.read_into(0, document.bytes.len() as usize, &mut out).expect("readable");
    out
}

fn parse_lines(text: &[u8]) -> Vec<Value> {
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect()
}

fn rebuild_at(text: &[u8], at: Option<&str>, provider: Option<&str>) -> Result<RebuiltRequest, RebuildError> {
    let query = RebuildQuery { at, provider, ..RebuildQuery::default() };
    let requests = iterate::FORMAT.info().requests.expect("it has requests");
    stream::rebuild(DOC, &text.to_vec(), requests, &Options::default(), &query).expect("memory reads")
}

fn body(text: &[u8], at: &str) -> Value {
    serde_json::from_slice(&rebuild_at(text, Some(at), None).expect("a request").body).expect("JSON")
}

/// Events of iterate, one a line: type, payload, offset.
fn events(list: &[(&str, Value, u64)]) -> Vec<u8> {
    let line = |(name, payload, offset): &(&str, Value, u64)| {
        json!({"type": format!("events.iterate.com/{name}"), "payload": payload, "offset": offset}).to_string()
            + "\n"
    };
    list.iter().map(line).collect::<String>().into_bytes()
}

const INPUT_ADDED: &str = "agent/input-added";
const REQUEST_REQUESTED: &str = "agent/llm-request-requested";
const OUTPUT_ADDED: &str = "agent/output-added";

#[test]
fn slimmed_logs_grow_linearly() {
    for name in ["stream", "requests"] {
        let log_of = |turns| if name == "stream" { logs::stream(turns, true) } else { logs::requests(turns, 1) };
        let sizes = [10, 100, 1000].map(|turns| {
            let full = log_of(turns);
            let (plan, slim) = slim_text(&full);
            assert!(plan.divergent.is_empty() && plan.refusal.is_none(), "{name}");
            assert_eq!(plan.saved.lists as usize, turns - usize::from(name == "requests"), "{name}");
            assert!(restore_text(&slim) == full, "{name}: {turns} turns are not restored byte for byte");
            assert_eq!((full.len() - slim.len()) as u64, plan.saved.repeated - plan.saved.references);
            (full.len(), slim.len())
        });
        let growth = |from: usize, to: usize| to as f64 / from as f64;
        assert!(growth(sizes[1].0, sizes[2].0) > 60.0, "{name}: the log grows with the square: {sizes:?}");
        assert!(growth(sizes[1].1, sizes[2].1) < 11.0, "{name}: the slimmed one does not: {sizes:?}");
        assert!(sizes[2].1 * 50 < sizes[2].0, "{name}: {sizes:?}");
    }
}

/// A log of requests of a dialect, each of which repeats the one before it and adds a question and an answer.
fn repeating_log(name: &str, turns: usize) -> Vec<u8> {
    let (mut history, mut lines) = (Vec::new(), String::new());
    for n in 0..turns {
        let (ask, key) = ("Which rivers flow through Rome? ".repeat(4), format!("call_{n}"));
        let (user, body): (Value, fn(&[Value]) -> Value) = match name {
            "chat" => {
                (json!({"role": "user", "content": ask}), |list| json!({"model": "gpt-5.5", "messages": list}))
            }
            "anthropic" => (json!({"role": "user", "content": [{"type": "text", "text": ask}]}), |list| {
                let tools = json!([{"name": "f", "input_schema": {"type": "object"}}]);
                json!({"model": "claude-opus-4-5", "max_tokens": 100, "tools": tools, "messages": list})
            }),
            "gemini" => (json!({"role": "user", "parts": [{"text": ask}]}), |list| json!({"contents": list})),
            _ => (
                json!({"role": "user", "content": [{"text": ask}]}),
                |list| json!({"modelId": "m", "toolConfig": {"tools": []}, "messages": list}),
            ),
        };
        history.push(user);
        lines += &(body(&history).to_string() + "\n");
        let calls = json!([{"id": key, "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
        history.extend(match name {
            "chat" => [
                json!({"role": "assistant", "content": null, "tool_calls": calls}),
                json!({"role": "tool", "tool_call_id": key, "content": "the Tiber"}),
            ],
            "anthropic" => [
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": key, "name": "f", "input": {}}]}),
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": key, "content": "the Tiber"}]}),
            ],
            "gemini" => [
                json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}),
                json!({"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"r": "the Tiber"}}}]}),
            ],
            _ => [
                json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": key, "name": "f", "input": {}}}]}),
                json!({"role": "user", "content": [{"toolResult": {"toolUseId": key, "content": [{"text": "the Tiber"}]}}]}),
            ],
        });
    }
    lines.into_bytes()
}

#[test]
fn requests_of_every_dialect_are_slimmed() {
    for name in ["chat", "anthropic", "gemini", "bedrock"] {
        let sizes = [10, 100].map(|turns| {
            let full = repeating_log(name, turns);
            let (plan, slim) = slim_text(&full);
            assert_eq!((plan.saved.lists as usize, plan.saved.records as usize), (turns - 1, turns - 1), "{name}");
            assert!(restore_text(&slim) == full, "{name}: {turns} turns are not restored byte for byte");
            assert_eq!(codes(&diagnostics(&full, &judge::Options::default())), Vec::<String>::new(), "{name}");
            (full.len(), slim.len())
        });
        assert!(sizes[1].1 < sizes[0].1 * 12 && sizes[1].0 > sizes[0].0 * 60, "{name}: {sizes:?}");
    }
}

#[test]
fn rebuild_gives_every_embedded_body() {
    let full = logs::stream(20, true);
    let (_, slim) = slim_text(&full);
    let bodies = parse_lines(&full).into_iter().filter_map(|event| {
        let body = event["payload"].get("body")?.clone();
        Some((event["offset"].to_string(), body))
    });
    let bodies: Vec<_> = bodies.collect();
    assert_eq!(bodies.len(), 20);
    for (offset, expected) in bodies {
        assert_eq!(body(&full, &offset), expected);
        assert_eq!(body(&slim, &offset), expected);
    }
    assert_eq!(
        codes(&diagnostics(&slim, &judge::Options::default())),
        codes(&diagnostics(&full, &judge::Options::default()))
    );
}

#[test]
fn a_body_that_differs_is_not_slimmed() {
    let full = parse_lines(&logs::stream(6, true));
    let bodies = full.iter().filter(|event| event["payload"].get("body").is_some()).count();
    let text = |events: &[Value]| events.iter().map(|event| format!("{event}\n")).collect::<String>().into_bytes();
    let mut changes = 0;
    for (n, event) in full.iter().enumerate() {
        let Some(messages) = event["payload"].pointer("/body/messages").and_then(Value::as_array) else {
            continue;
        };
        for index in 0..=messages.len() {
            for change in 0..4 {
                let mut changed = full.clone();
                let list = changed[n]["payload"]["body"]["messages"].as_array_mut().expect("a list");
                match (change, list.get_mut(index)) {
                    (0, Some(message)) => message["content"] = json!("other"),
                    (1, Some(message)) => message["role"] = json!("tool"),
                    (2, Some(message)) => message["name"] = json!("x"),
                    (3, Some(_)) => drop(list.remove(index)),
                    (_, None) => list.push(json!({"role": "user", "content": "x"})),
                    _ => continue,
                }
                let changed = text(&changed);
                let (plan, slim) = slim_text(&changed);
                assert_eq!(plan.divergent.len(), 1, "record {n}, message {index}, change {change}");
                assert_eq!(plan.divergent[0].difference.index as usize, index);
                assert_eq!(plan.saved.lists as usize, bodies - 1);
                assert_eq!(parse_lines(&restore_text(&slim)), parse_lines(&changed));
                assert!(codes(&diagnostics(&changed, &judge::Options::default())).contains(&"RL626".to_owned()));
                changes += 1;
            }
        }
    }
    assert!(changes > 100);
}

#[test]
fn interleaved_conversations_are_slimmed() {
    let full = logs::requests(60, 3);
    let (plan, slim) = slim_text(&full);
    assert_eq!(plan.saved.lists, 57);
    assert!(slim.len() * 4 < full.len());
    assert!(restore_text(&slim) == full);
    assert_eq!(codes(&diagnostics(&slim, &judge::Options::default())), Vec::<String>::new());
}

#[test]
fn equal_values_are_repetitions_however_they_are_written() {
    let item = |text: &str| {
        format!(
            r#"{{"role":"user","content":"{text} and enough more to be worth a reference, which takes some bytes itself"}}"#
        )
    };
    let other = r#"{ "content" : "\u0061 and enough more to be worth a reference, which takes some bytes itself", "role":"user"}"#;
    let full = format!("{{\"input\":[{}]}}\n{{\"input\":[ {other} , {}]}}\n", item("a"), item("b")).into_bytes();
    let (plan, slim) = slim_text(&full);
    assert_eq!(plan.saved.lists, 1);
    assert_eq!(parse_lines(&restore_text(&slim)), parse_lines(&full));
    // Another notation is the same value, another key is not.
    let other = item("a").replace("\"role\"", "\"extra\":1,\"role\"");
    let full = format!("{{\"input\":[{}]}}\n{{\"input\":[{other},{}]}}\n", item("a"), item("b")).into_bytes();
    assert_eq!(slim_text(&full).0.saved.lists, 0);
}

#[test]
fn sent_messages_are_slimmed_as_objects_and_as_strings() {
    let mut list = Vec::new();
    let mut input = Vec::new();
    for n in 0..12u64 {
        input.push(
            json!({"role": "user", "content": format!("Question {n}, which is about as long as questions are")}),
        );
        let message = json!({"type": "response.create", "model": "m", "store": false, "input": input});
        let message = if n % 2 == 0 { message } else { Value::String(message.to_string()) };
        list.push(("openai-ws/websocket-message-sent", json!({"connectionId": "c", "message": message}), n + 1));
    }
    let full = events(&list);
    let (plan, slim) = slim_text(&full);
    // The first of each kind has nothing to refer to, and one shares less than a reference is long.
    assert_eq!(plan.saved.lists, 9);
    assert!(slim.len() < full.len() * 2 / 3);
    assert_eq!(parse_lines(&restore_text(&slim)), parse_lines(&full));
}

#[test]
fn compactions_of_codex_are_slimmed() {
    let item = |n: usize| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": format!("item {n} of a history")}]});
    let mut lines = vec![json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}})];
    for n in 1..20 {
        let history: Vec<Value> = (0..n).map(item).collect();
        lines.push(json!({"timestamp": "t", "type": "compacted", "payload": {"message": "", "replacement_history": history}}));
    }
    let full: Vec<u8> = lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    let (plan, slim) = slim_text(&full);
    // The second shares less than a reference is long.
    assert_eq!(plan.saved.lists, 17);
    assert!(restore_text(&slim) == full);
    assert_eq!(
        check(&slim, &judge::Options::default()).format.map(|format| format.info().name),
        Some("codex-rollout")
    );
}

#[test]
fn a_slimmed_log_that_grew_is_slimmed_again() {
    let full = logs::requests(30, 1);
    let lines: Vec<&[u8]> = full.split_inclusive(|byte| *byte == b'\n').collect();
    let (_, slim) = slim_text(&lines[..20].concat());
    let grown = [slim, lines[20..].concat()].concat();
    assert!(has_references(&grown).expect("memory reads"));
    assert!(restore_text(&grown) == full);
    let (_, again) = slim_text(&restore_text(&grown));
    assert!(again == slim_text(&full).1);
}

#[test]
fn broken_references_are_reported() {
    let broken = |reference: &str| {
        let line = format!(
            "{{\"input\":[{{\"replaylint_ref\":{reference}}},{{\"role\":\"user\",\"content\":\"x\"}}]}}\n"
        );
        let text = format!("{{\"input\":[{{\"role\":\"user\",\"content\":\"a\"}}]}}\n{line}").into_bytes();
        restore(DOC, &text, &Options::default()).expect("a file can be written").unresolved
    };
    for reference in [
        r#"{"v":1,"kind":"prefix","record":7,"at":"/input","items":1}"#,
        r#"{"v":1,"kind":"prefix","record":2,"at":"/input","items":1}"#,
        r#"{"v":1,"kind":"prefix","record":0,"at":"/input","items":1}"#,
        r#"{"v":1,"kind":"prefix","record":1,"at":"/output","items":1}"#,
        r#"{"v":1,"kind":"prefix","record":1,"at":"/input","items":2}"#,
        r#"{"v":1,"kind":"prefix","record":1,"at":"/input","items":0}"#,
        r#"{"v":1,"kind":"history","request":3,"items":1}"#,
        r#"{"v":2,"kind":"prefix","record":1,"at":"/input","items":1}"#,
        r#"{"v":1,"kind":"other"}"#,
        "{}",
    ] {
        assert_eq!(broken(reference).iter().map(|(record, _)| *record).collect::<Vec<_>>(), [2], "{reference}");
    }
    assert_eq!(broken(r#"{"v":1,"kind":"prefix","record":1,"at":"/input","items":1}"#), []);
}

#[test]
fn a_rebuilt_request_contains_the_events_before_it() {
    let text = events(&[
        (INPUT_ADDED, json!({"content": "hello"}), 2),
        (REQUEST_REQUESTED, json!({"model": "m", "runOpts": {}}), 11),
        (INPUT_ADDED, json!({"content": "row"}), 15),
        ("cloudflare-ai/llm-request-started", json!({"llmRequestId": 11, "model": "m"}), 16),
        (OUTPUT_ADDED, json!({"content": "Hello", "llmRequestId": 11}), 17),
    ]);
    let system = json!({"role": "system", "content": "You are a helpful assistant. You can trust your user."});
    let hello = json!({"role": "user", "content": "hello"});
    // The stream names the provider that ran the request, and that provider streams.
    assert_eq!(body(&text, "11"), json!({"messages": [system, hello], "stream": true}));
    let other = rebuild_at(&text, Some("11"), Some("openai-ws")).expect("a request");
    let frame = json!({
        "type": "response.create",
        "model": "m",
        "instructions": system["content"],
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
        "store": false,
        "reasoning": {"summary": "auto"},
    });
    assert_eq!(serde_json::from_slice::<Value>(&other.body).expect("JSON"), frame);
    let next = rebuild_at(&text, None, None).expect("a history");
    assert_eq!((next.messages, next.offset, next.is_request), (4, 17, false));
    assert!(
        matches!(rebuild_at(&text, Some("12"), None), Err(RebuildError::Unknown(near)) if near == ["2", "11", "15", "16"])
    );
}

#[test]
fn stale_outputs_are_in_no_request() {
    let cancelled = json!({"phase": "requested", "llmRequestId": 2, "reason": "interrupted-by-user-input"});
    let text = events(&[
        (INPUT_ADDED, json!({"content": "a"}), 1),
        (REQUEST_REQUESTED, json!({"model": "m"}), 2),
        ("agent/llm-request-cancelled", cancelled, 3),
        (INPUT_ADDED, json!({"content": "b"}), 4),
        ("agent/llm-request-scheduled", json!({"requestId": "r", "debounceMs": 1, "model": "m"}), 5),
        (OUTPUT_ADDED, json!({"content": "to a", "llmRequestId": 2}), 6),
        (REQUEST_REQUESTED, json!({"model": "m", "requestId": "r"}), 7),
        (OUTPUT_ADDED, json!({"content": "to a, again", "llmRequestId": 2}), 8),
        (OUTPUT_ADDED, json!({"content": "to b", "llmRequestId": 7}), 9),
        (OUTPUT_ADDED, json!({"content": "of nobody"}), 10),
        (REQUEST_REQUESTED, json!({"model": "m"}), 11),
    ]);
    let sent = |at: &str| {
        let messages = body(&text, at)["messages"].as_array().expect("messages").clone();
        messages[1..]
            .iter()
            .map(|message| message["content"].as_str().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(sent("7"), ["a", "b"]);
    assert_eq!(sent("r"), ["a", "b"]);
    assert_eq!(sent("11"), ["a", "b", "to b", "of nobody"]);
}

#[test]
fn new_instructions_replace_the_old_ones() {
    let prompt = |text: &str| json!({"systemPrompt": text});
    let text = events(&[
        ("agent/system-prompt-updated", prompt("one"), 1),
        (INPUT_ADDED, json!({"content": "a"}), 2),
        (REQUEST_REQUESTED, json!({"model": "m"}), 3),
        ("agent/system-prompt-updated", prompt("two"), 4),
        (REQUEST_REQUESTED, json!({"model": "m"}), 5),
    ]);
    assert_eq!(body(&text, "3")["messages"][0]["content"], "one");
    assert_eq!(body(&text, "5")["messages"][0]["content"], "two");
}

#[test]
fn streams_out_of_order_are_not_slimmed() {
    for offsets in [[1, 3, 2], [1, 2, 2]] {
        let [a, b, c] = offsets;
        let text = events(&[
            (INPUT_ADDED, json!({"content": "a"}), a),
            (INPUT_ADDED, json!({"content": "b"}), b),
            (REQUEST_REQUESTED, json!({"model": "m"}), c),
        ]);
        let (plan, slim) = slim_text(&text);
        assert_eq!((plan.refusal, slim == text), (Some(SlimRefusal::Order(3)), true));
        assert!(matches!(rebuild_at(&text, Some("2"), None), Err(RebuildError::Order(3))) || offsets == [1, 2, 2]);
        assert!(codes(&diagnostics(&text, &judge::Options::default())).contains(&"RL625".to_owned()));
    }
    // One document is no log.
    let (plan, _) = slim_text(br#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#);
    assert_eq!(plan.refusal, Some(SlimRefusal::NoLog));
}

#[test]
fn lists_that_could_not_be_restored_are_not_slimmed() {
    // The event that requested it is missing, so a reference to the request would be broken.
    let system = json!({"role": "system", "content": "Be brief."});
    let hello = json!({"role": "user", "content": "hello"});
    let started = json!({"llmRequestId": 3, "body": {"messages": [system, hello]}});
    let log = events(&[
        ("agent/system-prompt-updated", json!({"systemPrompt": "Be brief."}), 1),
        (INPUT_ADDED, json!({"content": "hello"}), 2),
        ("cloudflare-ai/llm-request-started", started, 4),
    ]);
    let (_, slim) = slim_text(&log);
    assert_eq!(restore_text(&slim), log);
    // A truncated array is not slimmed.
    let lines: Vec<&[u8]> = log.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let cut = [b"[", &*lines.join(&b","[..]), b","].concat();
    assert!(slim_text(&cut).0.patch.is_empty());
}

#[test]
fn reformatted_values_are_counted() {
    let long = "a question that is long enough to be worth a reference to it";
    let log = |space: &str| {
        let body = format!(
            "[{{\"role\":{space}\"system\",\"content\":\"{}\"}},{{\"role\":\"user\",\"content\":\"{long}\"}}]",
            "You are a helpful assistant. You can trust your user."
        );
        let event = |name: &str, payload: &str, offset: u32| {
            format!("{{\"type\":\"events.iterate.com/agent/{name}\",\"payload\":{payload},\"offset\":{offset}}}\n")
        };
        let request = format!("{{\"model\":\"m\",\"body\":{{\"messages\":{body}}}}}");
        [
            event("input-added", &format!("{{\"content\":\"{long}\"}}"), 1),
            event("llm-request-requested", &request, 2),
        ]
        .concat()
        .into_bytes()
    };
    for (space, others) in [("", 0), (" ", 1)] {
        let full = log(space);
        let (plan, slim) = slim_text(&full);
        assert_eq!(plan.saved.lists, 1, "{space:?}");
        let back = restore(DOC, &slim, &Options::default()).expect("a file can be written");
        assert_eq!((back.references, back.reformatted), (1, others), "{space:?}");
        let text = restore_text(&slim);
        assert_eq!(text == full, others == 0, "{space:?}");
        assert_eq!(parse_lines(&text), parse_lines(&full), "{space:?}");
    }
}
