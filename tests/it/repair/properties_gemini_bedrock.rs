//! Properties of repairs of any Gemini contents and Bedrock messages: they are idempotent, and keep the invariants of all
//! repairs.

use proptest::prelude::*;
use replaylint::internals::judge::Options;
use replaylint::internals::repair::{FixOptions, Orphans};
use replaylint::internals::targets;
use serde_json::{Value, json};

use crate::support::guarded_repair;

fn any_part() -> impl Strategy<Value = Value> {
    let name = || prop_oneof![Just("f"), Just("g"), Just("")];
    let id = || prop_oneof![4 => Just(None), 1 => (0..3u8).prop_map(|n| Some(format!("c{n}")))];
    prop_oneof![
        3 => "[a ]{0,3}".prop_map(|text| json!({"text": text})),
        3 => (name(), id(), any::<bool>()).prop_map(|(name, id, signed)| {
            let mut part = json!({"functionCall": {"name": name, "args": {}}});
            if let Some(id) = id {
                part["functionCall"]["id"] = json!(id);
            }
            if signed {
                part["thoughtSignature"] = json!("c2ln");
            }
            part
        }),
        3 => (name(), id(), any::<bool>()).prop_map(|(name, id, snake)| {
            let key = if snake { "function_response" } else { "functionResponse" };
            json!({key: {"name": name, "id": id, "response": {"output": 1}}})
        }),
        1 => Just(json!({"inlineData": {"mimeType": "image/png", "data": "aGk="}})),
        1 => Just(json!({"text": "hm", "thought": true})),
    ]
}

fn any_content() -> impl Strategy<Value = Value> {
    let role = prop_oneof![4 => Just("user"), 4 => Just("model"), 1 => Just("function"), 1 => Just("system")];
    (role, prop::collection::vec(any_part(), 0..4)).prop_map(|(role, parts)| json!({"role": role, "parts": parts}))
}

fn any_block() -> impl Strategy<Value = Value> {
    let id = || prop_oneof![8 => (0..4u8).prop_map(|n| format!("t{n}")), 1 => Just("a|b".to_owned()), 1 => Just(String::new())];
    prop_oneof![
        3 => "[a ]{0,3}".prop_map(|text| json!({"text": text})),
        3 => (id(), 0..3u8).prop_map(|(id, n)| {
            let input = [json!({}), json!("{\"a\":1}"), Value::Null][usize::from(n)].clone();
            json!({"toolUse": {"toolUseId": id, "name": "f", "input": input}})
        }),
        3 => (id(), any::<bool>(), 0..2u8).prop_map(|(id, error, n)| {
            let content: Vec<Value> = (0..n).map(|_| json!({"text": "ok"})).collect();
            json!({"toolResult": {"toolUseId": id, "content": content, "status": if error { "error" } else { "success" }}})
        }),
        1 => prop_oneof![Just("Report"), Just("a.pdf"), Just("a pdf")].prop_map(|name| {
            json!({"document": {"name": name, "format": "pdf", "source": {"bytes": "JVBERi0="}}})
        }),
        1 => any::<bool>().prop_map(|signed| match signed {
            true => json!({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}),
            false => json!({"reasoningContent": {"reasoningText": {"text": "hm"}}}),
        }),
    ]
}

fn any_message() -> impl Strategy<Value = Value> {
    let role = prop_oneof![Just("user"), Just("assistant")];
    (role, prop::collection::vec(any_block(), 0..5))
        .prop_map(|(role, content)| json!({"role": role, "content": content}))
}

/// Repairs a request, and asserts the invariants of repairs.
fn check_repair(body: &Value, target: &str, model: Option<&str>, stub: bool, warnings: bool) {
    let wanted = FixOptions {
        orphans: if stub { Orphans::Stub } else { Orphans::Drop },
        warnings,
        ..FixOptions::default()
    };
    let options =
        Options { target: targets::by_name(target), model: model.map(str::to_owned), ..Options::default() };
    let text = serde_json::to_vec(body).expect("JSON");
    guarded_repair(&body.to_string(), &text, &options, &wanted);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn repairs_of_gemini_are_idempotent(
        contents in prop::collection::vec(any_content(), 1..8),
        newest in any::<bool>(),
        stub in any::<bool>(),
        warnings in any::<bool>(),
    ) {
        let model = newest.then_some("gemini-3-pro-preview");
        check_repair(&json!({"contents": contents}), "gemini", model, stub, warnings);
    }

    #[test]
    fn repairs_of_bedrock_are_idempotent(
        messages in prop::collection::vec(any_message(), 1..8),
        model in prop_oneof![Just(None), Just(Some("us.anthropic.claude-sonnet-4-5")), Just(Some("openai.gpt-oss-20b"))],
        tools in any::<bool>(),
        stub in any::<bool>(),
        warnings in any::<bool>(),
    ) {
        let mut body = json!({"messages": messages, "inferenceConfig": {}});
        if tools {
            body["toolConfig"] = json!({"tools": []});
        }
        check_repair(&body, "bedrock", model, stub, warnings);
    }
}
