//! Anthropic Messages: recorded requests and answers, if a corpus of them exists; and properties of any history.

use std::fs;

use proptest::prelude::*;
use replaylint::internals::formats;
use replaylint::internals::judge::Options;
use replaylint::internals::repair::{FixOptions, Orphans};
use replaylint::internals::rule::Loss;
use replaylint::internals::target::Severity;
use replaylint::internals::targets;
use serde_json::{Value, json};

use crate::repair::properties::{any_fix_options, config};
use crate::rules::corpus::{RecordedRequest, corpus, manifest};
use crate::support::{check, guarded_repair, repair};

/// Recorded requests to the Messages API, with the target that they were sent to.
pub fn requests(root: &std::path::Path) -> Vec<(RecordedRequest, Options)> {
    let rows = manifest(root).into_iter();
    let rows = rows.filter(|row| row.format.starts_with("anthropic") && !row.gold.is_empty());
    rows.map(|row| (row, Options { target: targets::by_name("anthropic"), ..Options::default() })).collect()
}

#[test]
fn answers_of_the_api_have_no_error() {
    let Some(root) = corpus() else { return };
    let mut read = 0;
    let rows = manifest(&root).into_iter();
    for row in rows.filter(|row| row.format.starts_with("anthropic") && row.kind == "response") {
        let text = fs::read(root.join(&row.path)).expect("readable");
        let found = check(&text, &Options::default());
        assert_eq!(found.format.map(|format| format.info().name), Some("anthropic-message"), "{}", row.path);
        assert!(found.findings.iter().all(|judged| judged.severity < Severity::Error), "{}", row.path);
        read += 1;
    }
    println!("answers read: {read}");
    assert!(read >= 100);
}

/// Blocks of a history as clients store it: complete, truncated, duplicated, out of order, with wrong neighbours.
fn any_block() -> impl Strategy<Value = Value> {
    let id = prop_oneof![
        6 => (0..4u8).prop_map(|n| json!(format!("toolu_{n}"))),
        1 => (0..2u8).prop_map(|n| json!(format!("functions.f:{n}"))),
        1 => Just(json!("")),
        1 => Just(Value::Null),
    ];
    let input = prop_oneof![5 => Just(json!({})), 1 => Just(json!("{\"a\":1}")), 1 => Just(Value::Null), 1 => Just(json!([1]))];
    let text = prop_oneof![3 => Just("hi"), 1 => Just(""), 1 => Just(" \n"), 1 => Just("so ")];
    let marked = |mut block: Value, mark: u8| {
        if mark == 0 {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
        block
    };
    prop_oneof![
        3 => (text, 0..3u8).prop_map(move |(text, mark)| marked(json!({"type": "text", "text": text}), mark)),
        4 => (id.clone(), input, prop_oneof![6 => Just("f"), 1 => Just("")], 0..5u8).prop_map(move |(id, input, name, extra)| {
            let mut block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
            if extra == 0 {
                block["index"] = json!(0);
            }
            block
        }),
        4 => (id.clone(), prop_oneof![Just("ok"), Just("")], 0..4u8).prop_map(move |(id, content, mark)| marked(
            json!({"type": "tool_result", "tool_use_id": id, "content": content}), mark
        )),
        2 => prop_oneof![2 => Just(json!("EqQB")), 1 => Just(json!("")), 1 => Just(Value::Null)]
            .prop_map(|signature| json!({"type": "thinking", "thinking": "hm", "signature": signature})),
        1 => (0..3u8).prop_map(|n| json!({"type": "server_tool_use", "id": format!("srvtoolu_{n}"), "name": "web_search", "input": {}})),
        1 => (0..3u8).prop_map(|n| json!({"type": "web_search_tool_result", "tool_use_id": format!("srvtoolu_{n}"), "content": []})),
        1 => Just(json!({"type": "next_year"})),
        1 => Just(json!("no block")),
    ]
}

fn any_message() -> impl Strategy<Value = Value> {
    let role = prop_oneof![6 => Just("user"), 6 => Just("assistant"), 1 => Just("system"), 1 => Just("tool")];
    let content = prop_oneof![
        6 => prop::collection::vec(any_block(), 0..5).prop_map(Value::from),
        1 => Just(json!("hi")),
        1 => Just(json!("")),
        1 => Just(Value::Null),
    ];
    (role, content).prop_map(|(role, content)| json!({"role": role, "content": content}))
}

fn any_body() -> impl Strategy<Value = Value> {
    let model =
        prop::sample::select(vec!["claude-sonnet-4-5", "claude-opus-4-8", "claude-opus-5-5", "claude-next"]);
    let system = prop_oneof![
        Just(Value::Null),
        Just(json!("Be brief")),
        Just(json!([{"type": "text", "text": "Be brief", "cache_control": {"type": "ephemeral"}}])),
    ];
    (prop::collection::vec(any_message(), 0..9), model, system).prop_map(|(messages, model, system)| {
        let mut body = json!({"model": model, "max_tokens": 9, "stop_sequences": ["x"], "messages": messages});
        if !system.is_null() {
            body["system"] = system;
        }
        body
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn repairs_are_idempotent(bodies in prop::collection::vec(any_body(), 1..3), wanted in any_fix_options(), shape in 0..4u8) {
        let first = &bodies[0];
        let text = match shape {
            0 => serde_json::to_string_pretty(first).expect("JSON"),
            1 => first.to_string(),
            2 => bodies.iter().map(|body| format!("{body}\n")).collect(),
            _ => json!({"requests": bodies.iter().map(|body| json!({"custom_id": "x", "params": body})).collect::<Vec<_>>()}).to_string(),
        };
        // Some of these look like Chat as well.
        let format = formats::by_name(if shape == 3 { "anthropic-batch" } else { "anthropic-request" });
        guarded_repair(&text, text.as_bytes(), &Options { read: replaylint::internals::read::Options { format, ..Default::default() }, ..Options::default() }, &wanted);
    }
}

#[test]
fn a_text_that_is_edited_and_then_moved_is_not_lost() {
    // Its cache mark goes; and its message, which a call leaves, moves into the instructions.
    let mark = json!({"type": "ephemeral"});
    let marked = |text: &str| json!({"type": "text", "text": text, "cache_control": mark});
    let call = json!({"type": "tool_use", "id": "toolu_0", "name": "f", "input": {}});
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "system": [marked("Be brief")], "messages": [
        {"role": "system", "content": [marked("hi"), call]},
        {"role": "user", "content": [marked("a"), marked("b"), marked("c")]},
    ]});
    let options = Options::default();
    let repaired = guarded_repair("a moved text", body.to_string().as_bytes(), &options, &FixOptions::default());
    let lost = repaired.notes.iter().filter(|note| note.loss == Loss::Lossy);
    assert_eq!(lost.map(|note| note.rule.as_str()).collect::<Vec<_>>(), ["RL534"]);
}

#[test]
fn many_blocks_take_linear_time() {
    // Regressions of quadratic time: open calls in one turn and in many, results far away, repeated ids.
    let calls = |n: usize, id: &dyn Fn(usize) -> String| -> Vec<Value> {
        (0..n).map(|n| json!({"type": "tool_use", "id": id(n), "name": "f", "input": {}})).collect()
    };
    let results = |n: usize, id: &dyn Fn(usize) -> String| -> Vec<Value> {
        (0..n).map(|n| json!({"type": "tool_result", "tool_use_id": id(n), "content": "ok"})).collect()
    };
    let own = |n: usize| format!("toolu_{n}");
    let one = |_: usize| "toolu_1".to_owned();
    let go = json!({"role": "user", "content": "go"});
    let body = |messages: Vec<Value>| {
        json!({"model": "claude-opus-5-5", "max_tokens": 9, "system": "x", "messages": messages}).to_string()
    };
    let assistant_message = |content: Vec<Value>| json!({"role": "assistant", "content": content});
    let far = vec![
        go.clone(),
        assistant_message(calls(20_000, &own)),
        go.clone(),
        assistant_message(vec![
            json!({"type": "thinking", "thinking": "", "signature": "x"}),
            json!({"type": "text", "text": "x"}),
        ]),
        json!({"role": "user", "content": results(20_000, &own)}),
        go.clone(),
    ];
    let open: Vec<Value> = (0..10_000)
        .flat_map(|n| [go.clone(), assistant_message(calls(1, &|_| own(n)))])
        .chain([go.clone()])
        .collect();
    let same = vec![
        go.clone(),
        assistant_message(calls(2_000, &one)),
        json!({"role": "user", "content": results(2_000, &one)}),
    ];
    for (messages, orphans, changes) in [
        (far, Orphans::Drop, 20_001),
        (vec![go.clone(), assistant_message(calls(20_000, &own)), go.clone()], Orphans::Stub, 20_000),
        (open, Orphans::Drop, 10_000),
        (same, Orphans::Drop, 1_999 * 2),
    ] {
        let repaired = repair(
            body(messages).as_bytes(),
            &Options::default(),
            &FixOptions { orphans, ..FixOptions::default() },
        );
        assert_eq!(repaired.notes.len(), changes);
        assert!(
            repaired.remaining.iter().all(|left| left.severity < Severity::Error),
            "{:?}",
            repaired.remaining.first()
        );
    }
}
