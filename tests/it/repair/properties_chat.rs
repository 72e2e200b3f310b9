//! Properties of any history of Chat Completions: repairs are idempotent, in every format and for every target, and take
//! linear time.

use proptest::prelude::*;
use replaylint::internals::judge::Options;
use replaylint::internals::repair::{FixOptions, Orphans};
use replaylint::internals::target::Target;
use replaylint::internals::targets::TARGETS;
use serde_json::{Value, json};

use crate::support::{guarded_repair, repair};

fn chat_targets() -> Vec<&'static Target> {
    TARGETS.iter().copied().filter(|target| target.dialect == "chat").collect()
}

fn any_id() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (0..4u8).prop_map(|n| json!(format!("call_{n}"))),
        2 => (0..2u8).prop_map(|n| json!(format!("abcdefgh{n}"))),
        1 => Just(json!("")),
        1 => Just(Value::Null),
        1 => (0..2usize).prop_map(|n| json!("x".repeat(45 + n * 40))),
    ]
}

fn any_call() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec!["f", "g", "a.b", ""]);
    let arguments = prop::sample::select(vec!["{}", "{\"a\":1}", "", "{\"a\":"]);
    (any_id(), name, arguments).prop_map(|(id, name, arguments)| {
        let mut call = json!({"type": "function", "function": {"name": name, "arguments": arguments}});
        if !id.is_null() {
            call["id"] = id;
        }
        call
    })
}

fn any_content() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => Just(json!("text")),
        1 => Just(json!("")),
        1 => Just(json!(" ")),
        1 => Just(Value::Null),
        1 => Just(json!([])),
        1 => Just(json!([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}])),
        1 => Just(json!([{"type": "thinking", "thinking": "hm"}])),
        1 => Just(json!([{"type": "tool_result", "tool_use_id": "call_1"}, {"type": "text", "text": ""}])),
    ]
}

/// Messages as logs contain them: complete, truncated, duplicated, out of order.
fn any_message() -> impl Strategy<Value = Value> {
    let assistant =
        (any_content(), prop::collection::vec(any_call(), 0..4), 0..8u8).prop_map(|(content, calls, extra)| {
            let mut message = json!({"role": "assistant"});
            if extra != 0 {
                message["content"] = content;
            }
            if !calls.is_empty() || extra == 1 {
                message["tool_calls"] = Value::Array(calls);
            }
            if extra == 2 {
                message["reasoning_content"] = json!("hm");
            }
            if extra == 3 {
                message["reasoning"] = json!("hm");
            }
            message
        });
    let reply = (any_id(), any_content()).prop_map(|(id, content)| {
        let mut message = json!({"role": "tool", "content": content});
        if !id.is_null() {
            message["tool_call_id"] = id;
        }
        message
    });
    let other = (
        prop::sample::select(vec!["user", "user", "user", "system", "developer", "tooool"]),
        any_content(),
        0..6u8,
    )
        .prop_map(|(role, content, name)| {
            let mut message = json!({"role": role, "content": content});
            match name {
                0 => message["name"] = json!("Ada Lovelace"),
                1 => message["name"] = json!(""),
                _ => {}
            }
            message
        });
    prop_oneof![4 => assistant, 4 => reply, 3 => other, 1 => Just(json!("no message"))]
}

fn any_fix_options() -> impl Strategy<Value = FixOptions> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(stub, lossless, warnings)| FixOptions {
        orphans: if stub { Orphans::Stub } else { Orphans::Drop },
        lossless,
        warnings,
        ..FixOptions::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn repairs_of_chat_are_idempotent(
        messages in prop::collection::vec(any_message(), 0..12),
        target in prop::sample::select(chat_targets()),
        model in prop::sample::select(vec!["gpt-4o", "o1-mini", "deepseek-reasoner", "kimi-k2-thinking"]),
        wanted in any_fix_options(),
        shape in 0..4u8,
    ) {
        let answer = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
        let body = json!({"model": model, "messages": messages});
        let text = match shape {
            0 => serde_json::to_string_pretty(&body).expect("JSON"),
            1 => format!("{body}\n{body}\n"),
            2 => json!({"request": body, "response": {"choices": [{"message": answer}]}}).to_string(),
            _ => json!({"custom_id": "a", "body": body}).to_string(),
        };
        let options = Options { target: Some(target), ..Options::default() };
        guarded_repair(&text, text.as_bytes(), &options, &wanted);
    }
}

#[test]
fn many_calls_of_a_chat_take_linear_time() {
    // 20,000 open calls with messages between them, then 20,000 calls of one id.
    let call = |id: usize| {
        format!(
            r#"{{"role":"assistant","tool_calls":[{{"id":"call_{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}}"#
        )
    };
    let body = |messages: Vec<String>| format!(r#"{{"model":"gpt-4o","messages":[{}]}}"#, messages.join(","));
    let user = || r#"{"role":"user","content":"x"}"#.to_owned();
    let open = body((0..20_000).flat_map(|n| [call(n), user()]).collect());
    let stub = FixOptions { orphans: Orphans::Stub, ..FixOptions::default() };
    let repaired = repair(open.as_bytes(), &Options::default(), &stub);
    assert_eq!(repaired.notes.len(), 20_000);
    assert!(repaired.remaining.is_empty());
    let reply = || r#"{"role":"tool","tool_call_id":"call_1","content":"ok"}"#.to_owned();
    let same = body((0..20_000).flat_map(|_| [call(1), reply()]).chain([user()]).collect());
    let wanted = FixOptions { warnings: true, ..FixOptions::default() };
    let repaired = repair(same.as_bytes(), &Options::default(), &wanted);
    assert_eq!(repaired.notes.len(), 39_998);
    assert!(repaired.remaining.is_empty());
}
