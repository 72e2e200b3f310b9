//! Sessions whose lines come in copies, as agents write them that go on with a session: some are edited, most are not.
//! A repair sees to all copies at once, however many there are.

use std::collections::HashMap;

use proptest::prelude::*;
use replaylint::internals::judge::Options;
use replaylint::internals::place::Place;
use replaylint::internals::repair::{Action, FixOptions, Fixed, Orphans, Reasoning};
use serde_json::{Value, json};

use crate::repair::properties::config;
use crate::support::guarded_repair;

fn uuid(n: usize) -> String {
    format!("{n:08x}-0000-4000-8000-000000000000")
}

fn call() -> impl Strategy<Value = String> {
    (0..4).prop_map(|n| format!("toolu_{n:02}"))
}

fn said_to_the_model() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-d]{1,3}".prop_map(|text| json!({"type": "text", "text": text})),
        (call(), "[ab\u{0}]{1,3}")
            .prop_map(|(id, text)| json!({"type": "tool_result", "tool_use_id": id, "content": text})),
    ]
}

fn said_by_the_model() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-d]{0,3}".prop_map(|text| json!({"type": "text", "text": text})),
        "[a-d]{0,3}".prop_map(|sign| json!({"type": "thinking", "thinking": "hm", "signature": sign})),
        call().prop_map(|id| json!({"type": "tool_use", "id": id, "name": "look", "input": {}})),
    ]
}

fn message() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::collection::vec(said_to_the_model(), 1..3)
            .prop_map(|content| json!({"role": "user", "content": content})),
        prop::collection::vec(said_by_the_model(), 1..3).prop_map(|content| {
            json!({"type": "message", "role": "assistant", "model": "claude-x", "content": content})
        }),
    ]
}

/// A message, how often it is there, what an edited copy says, which copies are edited, and how far back its parent is.
fn entry() -> impl Strategy<Value = (Value, usize, Value, u8, usize)> {
    let back = prop_oneof![5 => Just(1usize), 1 => 1..4usize];
    (message(), prop_oneof![Just(1), 2..12usize], message(), prop_oneof![Just(0), any::<u8>()], back)
}

fn session(entries: &[(Value, usize, Value, u8, usize)]) -> String {
    let mut lines = String::new();
    for (n, (message, times, edited, which, back)) in entries.iter().enumerate() {
        for copy in 0..*times {
            let is_edited = which & 1 << (copy % 8) != 0 && edited["role"] == message["role"];
            let mut message = if is_edited { edited.clone() } else { message.clone() };
            if message["role"] == "assistant" {
                // Two entries in a row may be one response.
                message["id"] = format!("msg_{}", n / 2).into();
            }
            let line = json!({
                "parentUuid": (n + 1).checked_sub(*back).filter(|parent| *parent > 0).map(uuid),
                "isSidechain": false,
                "userType": "external",
                "cwd": "/work",
                "sessionId": uuid(0xf00d),
                "version": "2.1.0",
                "type": message["role"],
                "message": message,
                "uuid": uuid(n + 1),
                "timestamp": format!("2026-01-01T00:00:{copy:02}Z"),
            });
            lines.push_str(&format!("{line}\n"));
        }
    }
    lines
}

/// The first item that is said to be moved, and to change in no other way, and whose text is not there any more.
fn lost(text: &str, new: &[u8], fixed: &Fixed) -> Option<String> {
    let mut counts: HashMap<Place, usize> = HashMap::new();
    fixed.changes.iter().for_each(|change| *counts.entry(change.row.at).or_default() += 1);
    let moved = fixed.changes.iter().filter(|change| change.action == Action::Move).map(|change| change.row.at);
    let items = moved.filter(|at| counts[at] == 1).map(|at| &text[at.start as usize..at.end() as usize]);
    items.map(str::to_owned).find(|item| memchr::memmem::find(new, item.as_bytes()).is_none())
}

#[test]
fn a_result_in_a_line_of_its_own_comes_to_its_call() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "the real one"});
    let said = |text: &str| json!({"type": "text", "text": text});
    let model =
        |block: Value| json!({"type": "message", "role": "assistant", "model": "claude-x", "content": [block]});
    let user = |block: Value| json!({"role": "user", "content": [block]});
    let messages = [
        user(said("a")),
        user(said("b")),
        model(call),
        user(said("c")),
        model(said("d")),
        user(result),
        model(said("e")),
    ];
    let entries: Vec<_> = messages.into_iter().map(|message| (message, 1, Value::Null, 0, 1)).collect();
    let text = session(&entries);
    let repaired = guarded_repair("a session", text.as_bytes(), &Options::default(), &FixOptions::default());
    assert!(repaired.fixed.changes.iter().any(|change| change.action == Action::Move));
    assert_eq!(repaired.left.len(), 0);
    let new = String::from_utf8(repaired.text).expect("UTF-8");
    let line = new.lines().find(|line| line.contains("the real one")).expect("the result");
    assert!(line.starts_with(&format!("{{\"parentUuid\":\"{}\"", uuid(3))), "{line}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_repair_sees_to_all_of_them(
        entries in prop::collection::vec(entry(), 1..7),
        orphans in prop_oneof![Just(Orphans::Drop), Just(Orphans::Stub)],
        reasoning in prop_oneof![Just(Reasoning::Keep), Just(Reasoning::Strip)],
    ) {
        let text = session(&entries);
        let wanted = FixOptions { orphans, reasoning, ..FixOptions::default() };
        let repaired = guarded_repair(&text, text.as_bytes(), &Options::default(), &wanted);
        prop_assert_eq!(lost(&text, &repaired.text, &repaired.fixed), None, "{}", text);
        prop_assert_eq!(repaired.fixed.bug, None);
        let endless = repaired.fixed.given_up.values().find(|why| why.contains("does not converge"));
        prop_assert_eq!(endless, None, "{}", text);
    }
}
