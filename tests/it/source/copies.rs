//! Sessions with copies of lines, as agents write when they continue a session: some copies are edited, most are not.
//! A repair changes all copies at once.

use std::collections::HashMap;

use proptest::prelude::*;
use replaylint::internals::judge::Options;
use replaylint::internals::place::Place;
use replaylint::internals::repair::{Action, DocRepair, FixOptions, Orphans, Reasoning};
use serde_json::{Value, json};

use crate::repair::properties::config;
use crate::support::guarded_repair;

fn uuid(n: usize) -> String {
    format!("{n:08x}-0000-4000-8000-000000000000")
}

fn call() -> impl Strategy<Value = String> {
    (0..4).prop_map(|n| format!("toolu_{n:02}"))
}

fn user_block() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-d]{1,3}".prop_map(|text| json!({"type": "text", "text": text})),
        (call(), "[ab\u{0}]{1,3}")
            .prop_map(|(id, text)| json!({"type": "tool_result", "tool_use_id": id, "content": text})),
    ]
}

fn model_block() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-d]{0,3}".prop_map(|text| json!({"type": "text", "text": text})),
        "[a-d]{0,3}".prop_map(|sign| json!({"type": "thinking", "thinking": "hm", "signature": sign})),
        call().prop_map(|id| json!({"type": "tool_use", "id": id, "name": "look", "input": {}})),
    ]
}

fn message() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::collection::vec(user_block(), 1..3).prop_map(|content| json!({"role": "user", "content": content})),
        prop::collection::vec(model_block(), 1..3).prop_map(|content| {
            json!({"type": "message", "role": "assistant", "model": "claude-x", "content": content})
        }),
    ]
}

/// A message, its number of copies, the text of edited copies, which copies are edited, and the distance to its parent.
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

/// The first item that is reported only as moved, but whose text is missing from the result.
fn find_lost_item(text: &str, new: &[u8], fixed: &DocRepair) -> Option<String> {
    let mut counts: HashMap<Place, usize> = HashMap::new();
    fixed.changes.iter().for_each(|change| *counts.entry(change.row.at).or_default() += 1);
    let moved = fixed.changes.iter().filter(|change| change.action == Action::Move).map(|change| change.row.at);
    let items = moved.filter(|at| counts[at] == 1).map(|at| &text[at.start as usize..at.end() as usize]);
    items.map(str::to_owned).find(|item| memchr::memmem::find(new, item.as_bytes()).is_none())
}

#[test]
fn a_distant_result_is_moved_to_its_call() {
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "the real one"});
    let text_block = |text: &str| json!({"type": "text", "text": text});
    let model =
        |block: Value| json!({"type": "message", "role": "assistant", "model": "claude-x", "content": [block]});
    let user = |block: Value| json!({"role": "user", "content": [block]});
    let messages = [
        user(text_block("a")),
        user(text_block("b")),
        model(call),
        user(text_block("c")),
        model(text_block("d")),
        user(result),
        model(text_block("e")),
    ];
    let entries: Vec<_> = messages.into_iter().map(|message| (message, 1, Value::Null, 0, 1)).collect();
    let text = session(&entries);
    let repaired = guarded_repair("a session", text.as_bytes(), &Options::default(), &FixOptions::default());
    assert!(repaired.fixed.changes.iter().any(|change| change.action == Action::Move));
    assert_eq!(repaired.remaining.len(), 0);
    let new = String::from_utf8(repaired.text).expect("UTF-8");
    let line = new.lines().find(|line| line.contains("the real one")).expect("the result");
    assert!(line.starts_with(&format!("{{\"parentUuid\":\"{}\"", uuid(3))), "{line}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_repair_changes_all_copies(
        entries in prop::collection::vec(entry(), 1..7),
        orphans in prop_oneof![Just(Orphans::Drop), Just(Orphans::Stub)],
        reasoning in prop_oneof![Just(Reasoning::Keep), Just(Reasoning::Strip)],
    ) {
        let text = session(&entries);
        let wanted = FixOptions { orphans, reasoning, ..FixOptions::default() };
        let repaired = guarded_repair(&text, text.as_bytes(), &Options::default(), &wanted);
        prop_assert_eq!(find_lost_item(&text, &repaired.text, &repaired.fixed), None, "{}", text);
        prop_assert_eq!(repaired.fixed.bug, None);
        let endless = repaired.fixed.abandoned.values().find(|why| why.contains("does not converge"));
        prop_assert_eq!(endless, None, "{}", text);
    }
}
