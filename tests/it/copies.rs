//! Sessions whose lines come in copies, as agents write them that go on with a session: some are edited, most are not.
//! A repair sees to all copies at once, however many there are.

use proptest::prelude::*;
use replaylint::internals::fix::{FixOptions, Orphans, Reasoning};
use replaylint::internals::judge::Options;
use serde_json::{Value, json};

use crate::properties::config;
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
        prop_assert_eq!(repaired.fixed.bug, None);
        let endless = repaired.fixed.given_up.values().find(|why| why.contains("does not converge"));
        prop_assert_eq!(endless, None, "{}", text);
    }
}
