//! Properties of any input: the scanner agrees with serde_json, repairs are idempotent, bytes outside of edits stay, the
//! number of threads changes nothing, nothing panics.

use proptest::prelude::*;
use replaylint::internals::history::Usage;
use replaylint::internals::json::scan::{LaneWidth, scan_prefix_by};
use replaylint::internals::json::{Tape, Val, scan, scan_prefix};
use replaylint::internals::judge::{self, FindingsOnly, Options};
use replaylint::internals::place::Pieces;
use replaylint::internals::read;
use replaylint::internals::repair::{FixOptions, Orphans, Reasoning};
use replaylint::internals::targets::TARGETS;
use serde_json::{Value, json};

use crate::support::{DOC, guarded_repair, repair};

/// The settings of proptest for all tests.
pub fn config() -> ProptestConfig {
    // PROPTEST_CASES in the environment asks for more.
    let default = ProptestConfig::default();
    ProptestConfig { failure_persistence: None, ..default }
}

/// Any JSON value, with texts that need escapes.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        "[\\\\\"\u{0}-\u{1f}é🙂a]{0,80}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"é]{0,4}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// True if a scanned value equals that of serde_json.
fn is_equal(val: Val<'_>, expected: &Value) -> bool {
    match expected {
        Value::Null => val.is_null(),
        Value::Bool(b) => val.as_bool() == Some(*b),
        Value::Number(n) => {
            let text = std::str::from_utf8(val.raw()).expect("UTF-8");
            serde_json::from_str::<Value>(text).ok().as_ref() == Some(&Value::Number(n.clone()))
        }
        Value::String(s) => val.text().as_deref() == Some(s.as_bytes()),
        Value::Array(list) => {
            val.count() as usize == list.len() && val.elements().zip(list).all(|(val, item)| is_equal(val, item))
        }
        Value::Object(map) => {
            val.count() as usize == map.len()
                && map.iter().all(|(key, item)| val.get(&**key).is_some_and(|val| is_equal(val, item)))
        }
    }
}

/// True if serde_json reads the text, at any depth.
fn serde_accepts(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok() && serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
}

/// A text with one byte changed, inserted or removed, or cut off.
fn corrupt(text: &str, at: prop::sample::Index, with: u8, how: u8) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return vec![with];
    }
    let at = at.index(bytes.len());
    match how % 4 {
        0 => bytes[at] = with,
        1 => bytes.insert(at, with),
        2 => drop(bytes.remove(at)),
        _ => bytes.truncate(at),
    }
    bytes
}

/// Items of a history as logs contain them: complete, truncated, duplicated, out of order.
fn any_item() -> impl Strategy<Value = Value> {
    let n = 0..4u8;
    let maybe_id = |prefix: &'static str| {
        prop_oneof![
            2 => Just(Value::Null),
            3 => n.clone().prop_map(move |n| json!(format!("{prefix}_{n}a"))),
            1 => Just(json!("toolu_1")),
        ]
    };
    let with_id = |mut item: Value, id: Value| {
        if !id.is_null() {
            item["id"] = id;
        }
        item
    };
    prop_oneof![
        Just(json!({"role": "user", "content": "go"})),
        (maybe_id("rs"), any::<bool>()).prop_map(move |(id, blob)| {
            let mut item = json!({"type": "reasoning", "summary": []});
            if blob {
                item["encrypted_content"] = json!("gAAA");
            }
            with_id(item, id)
        }),
        (maybe_id("fc"), n.clone()).prop_map(move |(id, n)| with_id(
            json!({"type": "function_call", "call_id": format!("call_{n}"), "name": "f", "arguments": "{}"}),
            id
        )),
        (n.clone(), any::<bool>()).prop_map(|(n, custom)| {
            let kind = if custom { "custom_tool_call_output" } else { "function_call_output" };
            json!({"type": kind, "call_id": format!("call_{n}"), "output": "ok"})
        }),
        n.clone().prop_map(|n| json!({"type": "custom_tool_call", "call_id": format!("call_{n}"), "name": "f", "input": ""})),
        maybe_id("msg").prop_map(move |id| with_id(
            json!({"type": "message", "role": "assistant", "status": "completed", "content": []}),
            id
        )),
        n.clone().prop_map(|n| json!({"type": "web_search_call", "id": format!("ws_{n}a"), "status": "completed", "action": {}})),
        n.clone().prop_map(|n| json!({"type": "item_reference", "id": format!("rs_{n}a")})),
        n.clone().prop_map(|n| json!({"id": format!("fc_{n}a")})),
        n.prop_map(|n| json!({"type": "mcp_approval_request", "id": format!("mcpr_{n}a"), "server_label": "s", "name": "n", "arguments": "{}"})),
        Just(json!({"type": "mcp_approval_response", "approval_request_id": "mcpr_1a", "approve": true})),
        Just(json!({"type": "next_year", "id": "ny_1"})),
        Just(json!("no item")),
    ]
}

/// Any combination of the options of a repair.
pub fn any_fix_options() -> impl Strategy<Value = FixOptions> {
    (0..2u8, 0..4u8, any::<bool>(), any::<bool>()).prop_map(|(orphans, reasoning, lossless, warnings)| {
        FixOptions {
            orphans: if orphans == 0 { Orphans::Drop } else { Orphans::Stub },
            reasoning: [Reasoning::Auto, Reasoning::Reference, Reasoning::Keep, Reasoning::Strip]
                [usize::from(reasoning)],
            lossless,
            warnings,
            selected: Vec::new(),
            ..FixOptions::default()
        }
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_scanner_reads_what_serde_json_writes(value in any_json(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("JSON").into_bytes();
        let mut tape = Tape::new();
        prop_assert_eq!(scan(&text, &mut tape), Ok(()));
        prop_assert!(is_equal(tape.root(&text).expect("scanned"), &value));
    }

    #[test]
    fn the_scanner_rejects_what_serde_json_rejects(
        value in any_json(),
        at: prop::sample::Index,
        with in prop::sample::select(b"\"\\{}[]:,u0d8ntfe+-. \x00\x1f\n".to_vec()),
        how: u8,
    ) {
        let text = corrupt(&value.to_string(), at, with, how);
        let (mut own, mut twin) = (Tape::new(), Tape::new());
        let scanned = scan(&text, &mut own);
        prop_assert!(scanned.is_err() || !own.is_ascii() || text.is_ascii());
        if std::str::from_utf8(&text).is_ok() {
            prop_assert_eq!(scanned.is_ok(), serde_accepts(&text), "{}", String::from_utf8_lossy(&text));
        }
        // All stop at the same byte for the same reason.
        let widest = scan_prefix(&text, &mut own);
        for lanes in LaneWidth::ALL {
            prop_assert_eq!(scan_prefix_by(lanes, &text, &mut twin), widest, "{:?}", lanes);
        }
    }

    #[test]
    fn repairs_are_idempotent(
        items in prop::collection::vec(any_item(), 0..14),
        target in prop::sample::select(TARGETS.to_vec()),
        wanted in any_fix_options(),
        shape in 0..3u8,
    ) {
        let text = match shape {
            0 => serde_json::to_string_pretty(&items).expect("JSON"),
            1 => json!({"model": "gpt-5", "input": items}).to_string(),
            _ => items.iter().map(|item| format!("{item}\n")).collect(),
        };
        let options = Options { target: Some(target), ..Options::default() };
        guarded_repair(&text, text.as_bytes(), &options, &wanted);
    }

    #[test]
    fn bytes_outside_of_edits_are_kept(items in prop::collection::vec(any_item(), 0..14), spaces in "[ \n\t]{0,3}") {
        let text = format!("[{spaces}{}{spaces}]", items.iter().map(Value::to_string).collect::<Vec<_>>().join(&format!(",{spaces}")));
        let repaired = repair(text.as_bytes(), &Options::default(), &FixOptions::default());
        let edits = repaired.fixed.patch.edits(DOC);
        let mut kept = Vec::new();
        let mut at = 0;
        for edit in edits {
            kept.extend_from_slice(&text.as_bytes()[at..edit.at.start as usize]);
            at = edit.at.end() as usize;
        }
        kept.extend_from_slice(&text.as_bytes()[at..]);
        // The kept bytes are in the result, in order.
        let mut rest = repaired.text.iter();
        prop_assert!(kept.iter().all(|byte| rest.any(|other| other == byte)));
        prop_assert_eq!(Pieces::new(edits, DOC, text.len() as u64).len() as usize, repaired.text.len());
    }

    #[test]
    fn no_input_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        repair(&bytes, &Options::default(), &FixOptions::default());
    }

    #[test]
    fn no_corrupt_history_panics(
        items in prop::collection::vec(any_item(), 0..8),
        at: prop::sample::Index,
        with: u8,
        how: u8,
        lines: bool,
    ) {
        let text = if lines {
            items.iter().map(|item| format!("{item}\n")).collect::<String>()
        } else {
            serde_json::to_string(&items).expect("JSON")
        };
        repair(&corrupt(&text, at, with, how), &Options::default(), &FixOptions::default());
    }
}

#[test]
fn escapes_are_read_at_every_offset_of_a_block() {
    for before in 0..70 {
        for after in [0, 1, 5, 31, 32, 40, 70] {
            for escape in ["\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00"] {
                let text = format!("[\"{}{escape}{}\"]", "x".repeat(before), "y".repeat(after));
                let expected: Value = serde_json::from_str(&text).expect("JSON");
                let mut tape = Tape::new();
                for lanes in LaneWidth::ALL {
                    let scanned = scan_prefix_by(lanes, text.as_bytes(), &mut tape);
                    assert_eq!(scanned, Ok(text.len() as u32), "{text} by {lanes:?}");
                    assert!(is_equal(tape.root(text.as_bytes()).expect("scanned"), &expected), "{text}");
                    assert!(!tape.is_odd(), "{text}");
                }
            }
        }
    }
}

#[test]
fn findings_do_not_depend_on_the_number_of_threads() {
    let mut text = Vec::new();
    crate::generate::generate(crate::generate::LogShape::Requests, 9 << 20, 40, 3, &mut text)
        .expect("memory writes");
    let mut log = Vec::new();
    crate::generate::generate(crate::generate::LogShape::Rollout, 9 << 20, 40, 5, &mut log)
        .expect("memory writes");
    for text in [text, log] {
        let summary = |threads: usize| {
            let found =
                judge::judge(DOC, &text, &Options::default(), threads, &FindingsOnly).expect("memory reads");
            let key = |judged: &judge::WeighedFinding| {
                let row = &judged.finding.row;
                (judged.finding.code, row.at, row.record, judged.history, judged.severity)
            };
            (
                found.findings.iter().map(key).collect::<Vec<_>>(),
                found.records,
                found.histories,
                found.items,
                found.lines,
            )
        };
        let one = summary(1);
        assert!(one.0.len() > 10);
        assert_eq!(one, summary(2));
        assert_eq!(one, summary(5));
    }
}

#[test]
fn generated_faults_are_found_exactly() {
    for shape in [crate::generate::LogShape::Rollout, crate::generate::LogShape::Requests] {
        let mut text = Vec::new();
        let faults = crate::generate::generate(shape, 2 << 20, 20, 11, &mut text).expect("memory writes");
        // As a request, so that faults that Codex repairs by itself are reported, too.
        let read = read::Options { usage: Some(Usage::Request), ..read::Options::default() };
        let options = Options { read, ..Options::default() };
        let found = judge::judge(DOC, &text, &options, 2, &FindingsOnly).expect("memory reads");
        let count = |code: u16| found.findings.iter().filter(|judged| judged.finding.code.0 == code).count();
        assert_eq!(
            (count(101), count(102), count(105)),
            (faults.missing_outputs, faults.orphan_outputs, faults.duplicate_outputs)
        );
        assert_eq!(found.findings.len(), faults.total());
    }
}

#[test]
fn many_open_calls_take_linear_time() {
    // 20,000 open calls with messages between them, and 2,000 calls of one id: quadratic code would not finish.
    let open = |n: usize| {
        let mut text = String::from("[");
        for n in 0..n {
            text.push_str(&format!(r#"{{"type":"function_call","call_id":"call_{n}","name":"f","arguments":"{{}}"}},{{"role":"user","content":"x"}},"#));
        }
        text.push_str(r#"{"role":"user","content":"end"}]"#);
        text.into_bytes()
    };
    let wanted = FixOptions { orphans: Orphans::Stub, ..FixOptions::default() };
    let repaired = repair(&open(20_000), &Options::default(), &wanted);
    assert_eq!(repaired.notes.len(), 20_000);
    assert!(repaired.remaining.is_empty());
    let mut same = String::from("[");
    for _ in 0..2_000 {
        same.push_str(r#"{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"ok"},"#);
    }
    same.push_str(r#"{"role":"user","content":"end"}]"#);
    let repaired = repair(same.as_bytes(), &Options::default(), &FixOptions::default());
    assert_eq!(repaired.notes.len(), 3_998);
    assert!(repaired.remaining.is_empty());
}
