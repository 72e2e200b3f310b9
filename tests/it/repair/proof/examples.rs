//! The proof on histories whose verdict is known: those that providers were recorded to take and to reject, repairs that
//! are bad ones, and what the cheapest repair of a history is.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::generator::Truth;
use super::loss::{self, Loss};
use super::minimal::{Cheapest, Search};
use super::rows::{Row, list_key, rows};
use super::statement::{self, Setting};

/// Items by short names: `u` of the user, `r1` reasoning with id and blob, `r1-` without id, `r1*` without blob, `m1` a
/// message, `m1-` without id, `c1` a call, `o1` its output, `k1` a computer call, `p1` its output, `h1` hosted, `&r1` a
/// reference.
fn items(names: &str) -> Vec<Row> {
    let item = |name: &str| {
        let kind = name.trim_start_matches('&').chars().next().expect("a kind");
        let n: String = name.chars().filter(char::is_ascii_digit).collect();
        let mut item = match kind {
            'u' => json!({"role": "user", "content": format!("ask {name}")}),
            'r' if name.contains('*') => {
                json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": format!("think {n}")}]})
            }
            'r' => json!({"type": "reasoning", "summary": [], "encrypted_content": format!("blob {n}")}),
            'm' => json!({"type": "message", "role": "assistant", "content": format!("say {n}")}),
            'c' => json!({"type": "function_call", "call_id": n, "name": "f", "arguments": n}),
            'o' => json!({"type": "function_call_output", "call_id": n, "output": format!("result {n}")}),
            'k' => json!({"type": "computer_call", "call_id": n, "action": n, "status": "completed"}),
            'p' => json!({"type": "computer_call_output", "call_id": n, "output": {"image_url": n}}),
            'h' => json!({"type": "code_interpreter_call", "code": n}),
            _ => panic!("no item is called {name}"),
        };
        if !name.contains('-') && !"uop".contains(kind) {
            let prefix = match kind {
                'r' => "rs",
                'm' => "msg",
                'c' => "fc",
                'k' => "cu",
                _ => "ci",
            };
            item["id"] = json!(format!("{prefix}_{n}"));
        }
        if name.starts_with('&') {
            item = json!({"type": "item_reference", "id": item["id"]});
        }
        item
    };
    let list: Vec<Value> = names.split_whitespace().map(item).collect();
    rows(Dialect::Responses, &json!({"input": list}))
}

/// What a server links: each reasoning item with what follows it.
fn links(names: &str) -> Truth {
    let mut truth = Truth::default();
    let mut reasoning: Option<String> = None;
    for row in items(names) {
        match (&row.id, row.is_made()) {
            (Some(id), true) if id.starts_with("rs_") => reasoning = Some(id.to_string()),
            (Some(id), true) => {
                let Some(reasoning) = &reasoning else { continue };
                truth.follower_of.entry(reasoning.clone()).or_insert_with(|| id.to_string());
                truth.reasoning_of.insert(id.to_string(), reasoning.clone());
            }
            _ => reasoning = None,
        }
    }
    truth
}

fn setting(dialect: Dialect, stored: bool) -> Setting {
    Setting { dialect, stored, takes_prefill: false, takes_model_first: true, strict_gemini: true }
}

fn visible(names: &str, stored: bool) -> Vec<&'static str> {
    let faults = statement::visible(&items(names), &setting(Dialect::Responses, stored));
    faults.into_iter().map(|fault| fault.what).collect()
}

#[test]
fn recorded_verdicts_are_the_statements() {
    // Taken, whether items are stored or not.
    for names in [
        "u r1 c1 o1",
        "u r1- c1- o1",
        "u r1- c1- c2- o1 o2",
        "u r1- m1- u2",
        "u c1- o1",
        "u c1 o1",
        "u c1- c2- o2 o1",
        "u r1 c1 o1 r2 c2 o2",
        "u r1 r2 m2",
        "u r1 m1 c1 o1",
        "u r1 h1 r2 m2 u2",
    ] {
        for stored in [true, false] {
            assert_eq!(visible(names, stored), [""; 0], "{names}");
            assert!(
                statement::hidden(&items(names), &links(names)).is_empty() || names.contains("r1 r2"),
                "{names}"
            );
        }
    }
    // Rejected.
    for (names, stored, why) in [
        ("u r1* c1 o1", false, "reasoning without a blob"),
        ("u r1- c1 o1", false, "an item with id after reasoning without"),
        ("u r1 r2 c1 c2 o1 o2", false, "reasoning regrouped"),
        ("u r1", true, "reasoning without its item"),
        ("u r1 u2", true, "reasoning without its item"),
        ("u &r1 u2", true, "reasoning without its item"),
        ("u c1", true, "a call without an output"),
        ("u o1", true, "an output without a call"),
        ("u o1 c1", true, "an output before its call"),
        ("u m1 u2 m1", true, "an id twice"),
        ("u &m1", false, "a reference to what is not stored"),
    ] {
        assert!(visible(names, stored).contains(&why), "{names}: {:?}", visible(names, stored));
    }
    // Rejected for what only the server knows.
    for (whole, names) in [
        ("u r1 c1 o1", "u c1 o1"),
        ("u r1 m1 u2", "u r1 m1- u2"),
        ("u r1 c1 c2 o1 o2", "u r1 c1 o1 c2 o2"),
        ("u r1 c1 r2 c2 o1 o2", "u r1 r2 c1 c2 o1 o2"),
        ("u r1 c1 o1", "u r1 u2 c1 o1"),
        ("u r1 c1 c2 o1 o2", "u r1 c2 o2"),
    ] {
        let truth = links(whole);
        assert!(statement::hidden(&items(whole), &truth).is_empty(), "{whole}");
        assert!(!statement::hidden(&items(names), &truth).is_empty(), "{names}");
    }
}

#[test]
fn bad_repairs_are_told() {
    let (all, truth) = ("u r1 c1 c2 o1 u2", links("r1 c1 c2"));
    let setting = setting(Dialect::Responses, true);
    let worse =
        |before: &str, after: &str| !statement::worse(&items(before), &items(after), &truth, &setting).is_empty();
    // The call alone, while what follows the reasoning stays; else all or none.
    assert!(!worse(all, "u r1 c1 o1 u2"));
    assert!(worse(all, "u c1 o1 u2") && worse(all, "u r1- c1 o1 u2") && worse(all, "u r1 c1- o1 u2"));
    assert!(!worse(all, "u r1- c1- o1 u2") && !worse(all, "u c1- o1 u2"));
    // Without the reasoning it cannot be seen any more that the link is broken.
    assert!(worse("u r1- c1 c2 o1 o2", "u c1 c2 o1 o2") && !worse("u r1- c1 c2 o1 o2", "u r1- c1- c2- o1 o2"));
    let lost = |before: &str, after: &str| loss::between(&items(before), &items(after));
    assert_eq!(lost(all, "u r1 c1 c2 o1 o2 u2"), Loss::ADD);
    assert_eq!(lost(all, "u r1 c1 o1 u2"), Loss { call: 1, ..Loss::NONE });
    assert_eq!(lost(all, "u r1- c1- o1 u2"), Loss { call: 1, ids: 2, ..Loss::NONE });
    assert_eq!(lost("u r1 c1 o1 o1", "u r1 c1 o1"), Loss::NONE);
    assert_eq!(lost("u r1 h1 r2* m2", "u &r1 &h1 m2-"), Loss { unreadable: 1, ids: 1, ..Loss::NONE });
    // Filled, whatever its id is then, not added.
    let output = |id: &str, output: Value| {
        let item = json!({"type": "function_call_output", "call_id": id, "output": output});
        rows(Dialect::Responses, &json!({"input": [item]}))
    };
    assert_eq!(loss::between(&output("a", Value::Null), &output("b", json!("unknown"))), Loss::NONE);
    let text = rows(Dialect::Responses, &json!({"input": [{"role": "user", "content": "it was: result 1"}]}));
    assert_eq!(loss::between(&items("o1"), &text), Loss { form: 1, ..Loss::NONE });
}

fn cheapest(rows: &[Row], setting: Setting, truth: &Truth) -> Option<Loss> {
    let search = Search { rows, setting: &setting, truth, beyond_doubt: false };
    match search.below(None) {
        Cheapest::Found(loss, _) => Some(loss),
        _ => None,
    }
}

#[test]
fn the_cheapest_repair_is_found() {
    for (whole, names, cost) in [
        ("r1 h1 c1", "u r1 h1 c1 u2", Loss::ADD),
        ("r1 c1 h1", "u r1 c1 h1 u2", Loss::ADD),
        ("r1 k1 c2", "u r1 k1 c2 p1 u2", Loss::ADD),
        // No screenshot is made up.
        ("r1 c1 k2", "u r1 c1 k2 o1 u2", Loss { call: 1, ..Loss::NONE }),
        ("r1 k1 c2", "u r1 k1 c2 o2 u2", Loss { call: 1, ids: 2, ..Loss::NONE }),
        ("r1 c1 c2", "u r1 c1 o1 u2 o2", Loss { result: 1, ..Loss::NONE }),
        ("r1 c1", "u r1 u2 c1 o1", Loss { ids: 2, ..Loss::NONE }),
        ("r1 c1", "u c1 u2 o1", Loss::NONE),
        ("r1 m1", "u r1 m1 u2 r1", Loss::NONE),
        ("r1 m1", "u r1 u2", Loss::ID),
        ("r1* m1", "u r1* u2", Loss { unreadable: 1, ..Loss::NONE }),
        ("r1 c1", "u r1- c1 o1", Loss::ID),
    ] {
        assert_eq!(
            cheapest(&items(names), setting(Dialect::Responses, true), &links(whole)),
            Some(cost),
            "{names}"
        );
    }
    // Nothing is left to send.
    assert_eq!(cheapest(&items("o1"), setting(Dialect::Responses, true), &Truth::default()), None);
    let call = |dialect: Dialect| {
        let list = match dialect {
            Dialect::Chat => {
                json!([{"role": "user", "content": "u"}, {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}])
            }
            Dialect::Anthropic => json!([{"role": "user", "content": "u"}, {"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]}]),
            Dialect::Gemini => json!([{"role": "user", "parts": [{"text": "u"}]}, {"role": "model", "parts": [
                {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"}]}]),
            _ => json!([{"role": "user", "content": [{"text": "u"}]}, {"role": "assistant", "content": [
                {"toolUse": {"toolUseId": "tooluse_1", "name": "f", "input": {}}}]}]),
        };
        rows(dialect, &json!({list_key(dialect): list}))
    };
    for dialect in [Dialect::Chat, Dialect::Anthropic, Dialect::Gemini, Dialect::Bedrock] {
        assert_eq!(
            cheapest(&call(dialect), setting(dialect, true), &Truth::default()),
            Some(Loss::ADD),
            "{dialect:?}"
        );
    }
}
