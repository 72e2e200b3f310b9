//! The proof on histories whose verdict is known: recorded ones that providers accepted or rejected, bad repairs, and
//! histories whose cheapest repair is known.

use replaylint::Dialect;
use serde_json::{Value, json};

use super::generator::ServerLinks;
use super::loss::{self, RepairLoss};
use super::rows::{ProofRow, list_key, read_rows};
use super::search::{Search, SearchResult};
use super::statement::{self, LegalityContext};

/// Items by short names: `u` of the user, `r1` reasoning with id and blob, `r1-` without id, `r1*` without blob, `m1` a
/// message, `m1-` without id, `c1` a call, `o1` its output, `k1` a computer call, `p1` its output, `h1` hosted, `&r1` a
/// reference.
fn items(names: &str) -> Vec<ProofRow> {
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
    read_rows(Dialect::Responses, &json!({"input": list}))
}

/// The links of a server: each reasoning item with the items that follow it.
fn links(names: &str) -> ServerLinks {
    let mut links = ServerLinks::default();
    let mut reasoning: Option<String> = None;
    for row in items(names) {
        match (&row.id, row.is_from_model()) {
            (Some(id), true) if id.starts_with("rs_") => reasoning = Some(id.to_string()),
            (Some(id), true) => {
                let Some(reasoning) = &reasoning else { continue };
                links.follower_of.entry(reasoning.clone()).or_insert_with(|| id.to_string());
                links.reasoning_of.insert(id.to_string(), reasoning.clone());
            }
            _ => reasoning = None,
        }
    }
    links
}

fn context(dialect: Dialect, stored: bool) -> LegalityContext {
    LegalityContext {
        dialect,
        is_stored: stored,
        accepts_prefill: false,
        accepts_model_first: true,
        strict_gemini: true,
    }
}

fn visible(names: &str, stored: bool) -> Vec<&'static str> {
    let faults = statement::certain_faults(&items(names), &context(Dialect::Responses, stored));
    faults.into_iter().map(|fault| fault.kind).collect()
}

#[test]
fn the_statement_agrees_with_recorded_verdicts() {
    // Accepted, whether items are stored or not.
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
                statement::hidden_faults(&items(names), &links(names)).is_empty() || names.contains("r1 r2"),
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
    // Rejected because of links that only the server knows.
    for (whole, names) in [
        ("u r1 c1 o1", "u c1 o1"),
        ("u r1 m1 u2", "u r1 m1- u2"),
        ("u r1 c1 c2 o1 o2", "u r1 c1 o1 c2 o2"),
        ("u r1 c1 r2 c2 o1 o2", "u r1 r2 c1 c2 o1 o2"),
        ("u r1 c1 o1", "u r1 u2 c1 o1"),
        ("u r1 c1 c2 o1 o2", "u r1 c2 o2"),
    ] {
        let links = links(whole);
        assert!(statement::hidden_faults(&items(whole), &links).is_empty(), "{whole}");
        assert!(!statement::hidden_faults(&items(names), &links).is_empty(), "{names}");
    }
}

#[test]
fn bad_repairs_are_detected() {
    let (all, links) = ("u r1 c1 c2 o1 u2", links("r1 c1 c2"));
    let context = context(Dialect::Responses, true);
    let worse = |before: &str, after: &str| {
        !statement::new_hidden_faults(&items(before), &items(after), &links, &context).is_empty()
    };
    // Dropping the call alone is fine while another item follows the reasoning; else all ids go, or none.
    assert!(!worse(all, "u r1 c1 o1 u2"));
    assert!(worse(all, "u c1 o1 u2") && worse(all, "u r1- c1 o1 u2") && worse(all, "u r1 c1- o1 u2"));
    assert!(!worse(all, "u r1- c1- o1 u2") && !worse(all, "u c1- o1 u2"));
    // Without the reasoning the broken link is not visible any more.
    assert!(worse("u r1- c1 c2 o1 o2", "u c1 c2 o1 o2") && !worse("u r1- c1 c2 o1 o2", "u r1- c1- c2- o1 o2"));
    let lost = |before: &str, after: &str| loss::between(&items(before), &items(after));
    assert_eq!(lost(all, "u r1 c1 c2 o1 o2 u2"), RepairLoss::PLACEHOLDER);
    assert_eq!(lost(all, "u r1 c1 o1 u2"), RepairLoss { call: 1, ..RepairLoss::NONE });
    assert_eq!(lost(all, "u r1- c1- o1 u2"), RepairLoss { call: 1, ids: 2, ..RepairLoss::NONE });
    assert_eq!(lost("u r1 c1 o1 o1", "u r1 c1 o1"), RepairLoss::NONE);
    assert_eq!(lost("u r1 h1 r2* m2", "u &r1 &h1 m2-"), RepairLoss { unreadable: 1, ids: 1, ..RepairLoss::NONE });
    // An output that is filled in is not an added one, whatever its id.
    let output = |id: &str, output: Value| {
        let item = json!({"type": "function_call_output", "call_id": id, "output": output});
        read_rows(Dialect::Responses, &json!({"input": [item]}))
    };
    assert_eq!(loss::between(&output("a", Value::Null), &output("b", json!("unknown"))), RepairLoss::NONE);
    let text = read_rows(Dialect::Responses, &json!({"input": [{"role": "user", "content": "it was: result 1"}]}));
    assert_eq!(loss::between(&items("o1"), &text), RepairLoss { form: 1, ..RepairLoss::NONE });
}

fn cheapest(rows: &[ProofRow], context: LegalityContext, links: &ServerLinks) -> Option<RepairLoss> {
    let search = Search { rows, context: &context, links, is_strict: false };
    match search.find_below(None) {
        SearchResult::Found(loss, _) => Some(loss),
        _ => None,
    }
}

#[test]
fn the_cheapest_repair_is_found() {
    for (whole, names, cost) in [
        ("r1 h1 c1", "u r1 h1 c1 u2", RepairLoss::PLACEHOLDER),
        ("r1 c1 h1", "u r1 c1 h1 u2", RepairLoss::PLACEHOLDER),
        ("r1 k1 c2", "u r1 k1 c2 p1 u2", RepairLoss::PLACEHOLDER),
        // A screenshot is never invented.
        ("r1 c1 k2", "u r1 c1 k2 o1 u2", RepairLoss { call: 1, ..RepairLoss::NONE }),
        ("r1 k1 c2", "u r1 k1 c2 o2 u2", RepairLoss { call: 1, ids: 2, ..RepairLoss::NONE }),
        ("r1 c1 c2", "u r1 c1 o1 u2 o2", RepairLoss { result: 1, ..RepairLoss::NONE }),
        ("r1 c1", "u r1 u2 c1 o1", RepairLoss { ids: 2, ..RepairLoss::NONE }),
        ("r1 c1", "u c1 u2 o1", RepairLoss::NONE),
        ("r1 m1", "u r1 m1 u2 r1", RepairLoss::NONE),
        ("r1 m1", "u r1 u2", RepairLoss::ID),
        ("r1* m1", "u r1* u2", RepairLoss { unreadable: 1, ..RepairLoss::NONE }),
        ("r1 c1", "u r1- c1 o1", RepairLoss::ID),
    ] {
        assert_eq!(
            cheapest(&items(names), context(Dialect::Responses, true), &links(whole)),
            Some(cost),
            "{names}"
        );
    }
    // Nothing would remain to be sent.
    assert_eq!(cheapest(&items("o1"), context(Dialect::Responses, true), &ServerLinks::default()), None);
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
        read_rows(dialect, &json!({list_key(dialect): list}))
    };
    for dialect in [Dialect::Chat, Dialect::Anthropic, Dialect::Gemini, Dialect::Bedrock] {
        assert_eq!(
            cheapest(&call(dialect), context(dialect, true), &ServerLinks::default()),
            Some(RepairLoss::PLACEHOLDER),
            "{dialect:?}"
        );
    }
}
